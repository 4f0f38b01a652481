import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { VerifyPasskeyAuthenticationInput } from './passkeys.endpoint.ts'

/**
 * Reads the browser's response to a challenge. The credential is not validated yet.
 *
 * @throws AuthError `validation_failed` (400).
 */
export function readAnswer({
  challengeId,
  credential,
}: Unvalidated<VerifyPasskeyAuthenticationInput>): {
  challengeId: string
  credential: unknown
} {
  if (!challengeId) throw validationFailed('challenge_id is required')
  if (!credential) throw validationFailed('credential is required')
  if (!isUuid(challengeId)) throw validationFailed('challenge_id must be a valid UUID')
  return { challengeId, credential }
}
