/** The current time. All code uses it, so that a test can change the time. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * The time by which an instant of another process may be in the future: longer than the
 * documentation permits clocks to differ. After a later one the clock was set back.
 */
export const clockSetBackMs = 300_000

/**
 * Reports whether an instant of this process is at least this long ago. Null, and an instant in the
 * future after the clock was set back, count as long ago.
 */
export function isOlder(since: Date | null, ageMs: number, now: Date): boolean {
  const age = since === null ? ageMs : now.getTime() - since.getTime()
  return age < 0 || age >= ageMs
}
