/** Tells the time. Everything that depends on time asks this, so that a test can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Whether something was so long ago. What never was, or is to come by a clock that was set back, counts as long ago. */
export function isOlder(since: Date | null, ageMs: number, now: Date): boolean {
  const age = since === null ? ageMs : now.getTime() - since.getTime()
  return age < 0 || age >= ageMs
}
