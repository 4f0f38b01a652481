/**
 * What sort of value a setting holds: how its text in the environment is read, and how a value given
 * in code is checked and brought into the form that the service works with.
 */
export interface Kind<Value, Given = unknown> {
  /** What the documentation calls it. */
  name: string
  /** Turns text of the environment into what one would write in code. */
  parse(text: string): Reading<Given>
  /** Checks what was written in code. */
  check(given: unknown): Reading<Value>
  /** Whether empty text means that the setting is left out. False where it is a likely mistake. */
  emptyMeansAbsent: boolean
}

/** The value, perhaps with something that its giver should know; or what is wrong. */
export type Reading<Value> =
  | { value: Value; warning?: string }
  | { problems: readonly ReadingProblem[] }

export interface ReadingProblem {
  /** As in `must be a whole number`. Holds no part of the value, which may be a secret. */
  message: string
  /** Where inside the value, as in `[1].kid`. */
  at?: string
}

export const reads = <Value>(value: Value): Reading<Value> => ({ value })

export const fails = (message: string): { problems: readonly ReadingProblem[] } => ({
  problems: [{ message }],
})

export const isFailure = (
  reading: Reading<unknown>,
): reading is { problems: readonly ReadingProblem[] } => 'problems' in reading

/** A value that was given, for a message: short, and never a whole object or address. */
export function show(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  if (typeof given === 'object') return 'an object'
  if (typeof given === 'function') return 'a function'
  if (typeof given !== 'string') return String(given)
  return given.length > 60 || given.includes('@') ? 'this text' : JSON.stringify(given)
}
