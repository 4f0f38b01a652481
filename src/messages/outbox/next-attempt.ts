/** After so many, somewhat more than half a day, a message is given up. */
export const maxAttempts = 100

const longestPauseMs = 10 * 60 * 1000

/**
 * When to try again: after two seconds, four, eight, … up to ten minutes, each time up to a quarter
 * later, so that what failed together does not come back together. Links live for an hour: the mail
 * should be there soon after the carrier is.
 *
 * @param attempts how many there were, the last one included.
 */
export function nextAttempt(attempts: number, now: Date): Date {
  const pauseMs = Math.min(1000 * 2 ** attempts, longestPauseMs)
  return new Date(now.getTime() + pauseMs * (1 + Math.random() / 4))
}
