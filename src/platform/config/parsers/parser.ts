/** Parses the text of a setting in the environment, and checks and normalizes its value in code. */
export interface Parser<Value, Given = unknown> {
  /** The name in the documentation. */
  name: string
  /** Parses text of the environment into the value in code. */
  parse(text: string): Reading<Given>
  /** Checks a value in code. */
  check(given: unknown): Reading<Value>
  /** Whether empty text counts as absent. False if it is probably a mistake. */
  emptyMeansAbsent: boolean
}

/** A value, possibly with a warning; or the problems. */
export type Reading<Value> =
  | { value: Value; warning?: string }
  | { problems: readonly ReadingProblem[] }

export interface ReadingProblem {
  /**
   * A text such as `must be a whole number`. It contains no part of the value, which may be a
   * secret.
   */
  message: string
  /** The place inside the value, as in `[1].kid`. */
  at?: string
}

export const reads = <Value>(value: Value): Reading<Value> => ({ value })

export const fails = (message: string): { problems: readonly ReadingProblem[] } => ({
  problems: [{ message }],
})

export const isFailure = (
  reading: Reading<unknown>,
): reading is { problems: readonly ReadingProblem[] } => 'problems' in reading

/** Returns a short form of a value for a message, never a whole object or address. */
export function show(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  if (typeof given === 'object') return 'an object'
  if (typeof given === 'function') return 'a function'
  if (typeof given !== 'string') return String(given)
  return given.length > 60 || given.includes('@') ? 'this text' : JSON.stringify(given)
}
