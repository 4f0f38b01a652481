import { bestLanguage, type Language } from '../../../platform/kit/languages.ts'
import { withValues } from '../../pages/texts/texts.ts'
import { de } from './de.ts'
import { type ConsoleTextKey, en } from './en.ts'
import { fr } from './fr.ts'

/** Returns a text of the console in one language, with the values of its placeholders. */
export interface ConsoleText {
  (key: ConsoleTextKey, values?: Readonly<Record<string, string | number>>): string
  /** Returns the sentence for an error code; null for a code without one. */
  error(code: string): string | null
}

const all: Readonly<Record<Language, Readonly<Record<ConsoleTextKey, string>>>> = { en, de, fr }

/** Returns the texts of the console in a language; in English if the console does not have it. */
export function consoleText(language: string): ConsoleText {
  const texts = all[bestLanguage([language])]
  const errors: Readonly<Record<string, string>> = texts
  return Object.assign(
    (key: ConsoleTextKey, values: Readonly<Record<string, string | number>> = {}) =>
      withValues(texts[key], values),
    { error: (code: string) => errors[`error.code.${code}`] ?? null },
  )
}
