/** The current time. All code uses it, so that a test can change the time. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * Reports whether an instant is at least this long ago. Null, and an instant in the future after a
 * clock was set back, count as long ago.
 */
export function isOlder(since: Date | null, ageMs: number, now: Date): boolean {
  const age = since === null ? ageMs : now.getTime() - since.getTime()
  return age < 0 || age >= ageMs
}
