import { validationFailed } from '../../platform/errors/request-errors.ts'
import { lastInstant, parseDuration } from '../../platform/kit/time-formats.ts'

/** The end of a permanent ban. */
export const banForGood = lastInstant

/**
 * Returns the end of a ban of some duration from now; null lifts one. `none` and a duration of 0
 * lift a ban.
 *
 * @param text such as `24h` or `1h30m`; undefined and empty leave a ban unchanged.
 * @param field the name of the field in the request.
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
  if (milliseconds === null)
    throw validationFailed(`${field}: has to be a duration such as 24h, or none`)
  if (milliseconds === 0) return null
  const end = now.getTime() + milliseconds
  if (end < 0 || end > lastInstant.getTime()) throw validationFailed(`${field}: is too long`)
  return new Date(end)
}
