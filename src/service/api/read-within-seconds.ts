/** The longest time of Node's timers. A longer one would end at once. */
const maxTimerSeconds = 2_147_483

/**
 * Returns the time of a call of `runDueWork` in milliseconds. In a file without imports, since
 * `import 'latchkey'` loads it.
 *
 * @throws TypeError for a number that is negative or too large.
 */
export function readWithinSeconds(withinSeconds = 25): number {
  if (!(withinSeconds >= 0 && withinSeconds <= maxTimerSeconds)) {
    throw new TypeError(`withinSeconds must be a number from 0 to ${maxTimerSeconds}`)
  }
  return withinSeconds * 1000
}
