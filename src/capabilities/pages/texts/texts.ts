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

export type Texts = (language: Language) => TextOf

export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
}

/** @param replaced the application's own texts, by language and key. */
export function createTexts(replaced: Readonly<Record<string, PageTexts>>): Texts {
  const own = (language: Language): PageTexts =>
    Object.hasOwn(replaced, language) ? (replaced[language] ?? {}) : {}
  const all = { en, de, fr }
  const made = Object.fromEntries(
    languages.map((language) => [
      language,
      textOf(language, { ...all[language], ...own(language) }),
    ]),
  )
  return (language) => made[language] as TextOf
}

/** Returns the languages and keys of replaced texts that do not exist. */
export const unknownTexts = (replaced: Readonly<Record<string, PageTexts>>): string[] =>
  Object.entries(replaced).flatMap(([language, texts]) =>
    languages.some((one) => one === language)
      ? Object.keys(texts)
          .filter((key) => !Object.hasOwn(en, key))
          .map((key) => `${language}.${key}`)
      : [language],
  )

/** Returns a text with the values of its placeholders. */
export const withValues = (
  text: string,
  values: Readonly<Record<string, string | number>>,
): string =>
  text.replace(/\{(\w+)\}/g, (found, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : found,
  )

const textOf = (language: Language, texts: Readonly<Record<string, string>>): TextOf =>
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
