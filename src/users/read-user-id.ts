import { validationFailed } from '../errors/request-errors.ts'
import { isUuid, nilUuid } from '../kit/uuid.ts'

/**
 * The id that an operator chose for a new user.
 *
 * @throws AuthError `validation_failed`
 */
export function readUserId(id: string): string {
  if (!isUuid(id)) throw validationFailed('id: ID must conform to the uuid v4 format')
  if (id === nilUuid) throw validationFailed('id: ID cannot be a nil uuid')
  return id.toLowerCase()
}
