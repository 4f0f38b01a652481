import { type Language, languages } from '../../../platform/kit/languages.ts'
import type { PageTexts } from '../pages.terms.ts'
import { de } from './de.ts'
import { en, type TextKey } from './en.ts'
import { fr } from './fr.ts'

/** Returns a text of one language, with the values of its placeholders. */
export interface TextOf {
  (key: TextKey, values?: Readonly<Record<string, string | number>>): string
  has(key: string): boolean
  /** Returns a duration in words, in one line: in seconds below 90, else in minutes. */
  duration(seconds: number): string
}

/** The texts of the pages in each of their languages. */
export interface Texts {
  /** @param language one of `languages`. */
  (language: string): TextOf
  /** The built-in languages, and those that the application added. */
  languages: readonly string[]
}

const builtIn: Readonly<Record<Language, PageTexts>> = { en, de, fr }

/**
 * @param replaced the application's own texts, by language and key. In a language that is not built
 *   in, English replaces a text that is not given.
 */
export function createTexts(replaced: Readonly<Record<string, PageTexts>>): Texts {
  const added = Object.keys(replaced).filter((one) => !isBuiltIn(one) && nameOfLanguage(one))
  const own = (language: string): PageTexts =>
    Object.hasOwn(replaced, language) ? (replaced[language] ?? {}) : {}
  const made = new Map([
    ...languages.map(
      (one) => [one, textOf(one, { ...builtIn[one], ...own(one) })] as [string, TextOf],
    ),
    ...added.map((one): [string, TextOf] => {
      const direction = directionOf(one)
      return [one, textOf(one, { ...en, ...own('en'), direction, ...own(one) })]
    }),
  ])
  const find = (language: string): TextOf => made.get(language) ?? (made.get('en') as TextOf)
  return Object.assign(find, { languages: [...made.keys()] })
}

/** Returns the texts of an application in the built-in languages. */
export const builtInLanguagesOf = (
  replaced: Readonly<Record<string, PageTexts>>,
): Record<string, PageTexts> =>
  Object.fromEntries(Object.entries(replaced).filter(([language]) => isBuiltIn(language)))

const isBuiltIn = (language: string): boolean => languages.some((one) => one === language)

/**
 * Returns the name of a language in that language, such as `Deutsch`; null if it is not the code of
 * a language. @see ISO 639
 */
export function nameOfLanguage(language: string): string | null {
  if (!/^[a-z]{2,3}$/.test(language)) return null
  const names = new Intl.DisplayNames([language, 'en'], { type: 'language', fallback: 'none' })
  const [first = '', ...rest] = names.of(language) ?? ''
  return first === '' ? null : first.toLocaleUpperCase(language) + rest.join('')
}

/** Returns the direction of the script of a language. */
const directionOf = (language: string): string =>
  rightToLeft.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr'

/** Scripts that are written from right to left. @see ISO 15924 */
const rightToLeft: ReadonlySet<string> = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
])

/** Returns the languages and keys of replaced texts that do not exist. */
export const unknownTexts = (replaced: Readonly<Record<string, PageTexts>>): string[] =>
  Object.entries(replaced).flatMap(([language, texts]) =>
    nameOfLanguage(language) === null
      ? [language]
      : Object.keys(texts)
          .filter((key) => !Object.hasOwn(en, key))
          .map((key) => `${language}.${key}`),
  )

/** Returns a text with the values of its placeholders. */
export const withValues = (
  text: string,
  values: Readonly<Record<string, string | number>>,
): string =>
  text.replace(/\{(\w+)\}/g, (found, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : found,
  )

const textOf = (language: string, texts: Readonly<Record<string, string>>): TextOf =>
  Object.assign(
    (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string =>
      withValues(texts[key] ?? '', values),
    {
      has: (key: string) => Object.hasOwn(texts, key),
      duration: (seconds: number) => {
        const [unit, count] = seconds < 90 ? ['second', seconds] : ['minute', seconds / 60]
        const options = { style: 'unit', unit, unitDisplay: 'long' } as const
        const words = new Intl.NumberFormat(language, options).format(Math.ceil(count))
        return words.replace(' ', '\u00a0')
      },
    },
  )
