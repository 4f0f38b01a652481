import { validationFailed } from '../../platform/errors/request-errors.ts'
import { parseDuration } from '../../platform/kit/duration.ts'

/** The last instant that the wire can spell. What is far in the past PostgreSQL could not read either. */
const endOfTime = Date.UTC(9999, 11, 31)

/** The end of a ban that has none. */
export const banForGood = new Date(endOfTime)

/**
 * The end of a ban of some duration from now; null lifts one. `none` and a duration of 0 lift.
 *
 * @param text such as `24h` or `1h30m`; undefined and empty say nothing about a ban.
 * @param field what the text is called where it comes from.
 * @throws AuthError `validation_failed`
 */
export function readBan(
  text: string | undefined,
  now: Date,
  field = 'ban_duration',
): Date | null | undefined {
  if (!text) return undefined
  if (text === 'none') return null
  const milliseconds = parseDuration(text)
  if (milliseconds === null) throw validationFailed(`${field}: has to be a duration or none`)
  if (milliseconds === 0) return null
  const end = now.getTime() + milliseconds
  if (end < 0 || end > endOfTime) throw validationFailed(`${field}: is too long`)
  return new Date(end)
}
