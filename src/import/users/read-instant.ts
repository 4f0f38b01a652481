import { validationFailed } from '../../platform/errors/request-errors.ts'
import { parseInstant } from '../../platform/kit/instant.ts'
import type { InstantInput } from './import-input.ts'

/**
 * Reads a point in time; null if it is absent.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
export function readInstant(given: InstantInput | undefined, field: string): Date | null {
  if (!given) return null
  const at = parseInstant(typeof given === 'string' ? given : given.toISOString())
  if (at) return at
  throw validationFailed(`${field}: has to be a time such as 2021-03-04T05:06:07Z`)
}
