import { inWords } from '../in-words.ts'

/** One thing that was looked at. */
export interface Finding {
  /** `problem`: something does not work. `warning`: it works, but not as somebody would want it. */
  level: 'fine' | 'warning' | 'problem'
  /** What was looked at, as in `mail`. */
  about: string
  says: string
  /** What to do about it; of everything but what is fine. */
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

/** `problem: mail: …`, and below it what to do. */
export function describeFinding({ level, about, says, remedy }: Finding): string {
  const start = level === 'fine' ? '' : `${level}: `
  return `${start}${about}: ${says}${remedy === undefined ? '' : `\n  remedy: ${remedy}`}`
}
