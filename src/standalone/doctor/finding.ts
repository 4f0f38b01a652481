import { inWords } from '../in-words.ts'

/** The result of one check. */
export interface Finding {
  /**
   * `problem`: something does not work. `warning`: it works, but differs from common requirements.
   */
  level: 'fine' | 'warning' | 'problem'
  /** The subject, as in `mail`. */
  about: string
  says: string
  /** What to do; present unless the level is `fine`. */
  remedy?: string
}

export const fine = (about: string, says: string): Finding => ({ level: 'fine', about, says })

export const warning = (about: string, says: string, remedy: string): Finding => ({
  level: 'warning',
  about,
  says,
  remedy,
})

export const problem = (about: string, says: unknown, remedy: string): Finding => ({
  level: 'problem',
  about,
  says: typeof says === 'string' ? says : inWords(says),
  remedy,
})

/** Returns `problem: mail: …`, and below it the remedy. */
export function describeFinding({ level, about, says, remedy }: Finding): string {
  const start = level === 'fine' ? '' : `${level}: `
  return `${start}${about}: ${says}${remedy === undefined ? '' : `\n  remedy: ${remedy}`}`
}
