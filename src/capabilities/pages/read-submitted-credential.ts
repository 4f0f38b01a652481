import { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'

/**
 * Returns the response of an authenticator, which a script has put into a form.
 *
 * @throws AuthError `webauthn_verification_failed` for anything but an object in JSON.
 */
export function readCredential(form: URLSearchParams): { challengeId: string; credential: object } {
  const challengeId = form.get('challenge_id') ?? ''
  try {
    const credential: unknown = JSON.parse(form.get('credential') ?? '')
    if (isRecord(credential)) return { challengeId, credential }
  } catch {
    // Rejected below.
  }
  throw new AuthError('webauthn_verification_failed', 400, 'The credential is no object in JSON')
}
