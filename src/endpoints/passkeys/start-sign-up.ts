import type { AuthContext } from '../../accounts/auth-context.ts'
import { storeChallenge } from '../../accounts/passkeys/store-challenge.sql.ts'
import { creationOptions } from '../../credentials/webauthn/ceremony-options.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unread } from '../http/endpoint.ts'
import { issueChallenge } from './issue-challenge.ts'
import type { PasskeyRegistration, StartPasskeySignUpInput } from './passkeys.endpoint.ts'
import { requireSignUp } from './require-enabled.ts'

/** Authenticators may cut off what is longer. @see Web Authentication Level 3 §6.4.1 */
const maxNameBytes = 64

/**
 * Begins to sign up by a passkey alone. There is no user yet: who answers becomes one, with the id that the challenge has.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422), `validation_failed` (400).
 */
export async function startSignUp(
  ctx: AuthContext,
  { name: given = '' }: Unread<StartPasskeySignUpInput>,
): Promise<PasskeyRegistration> {
  requireSignUp(ctx)
  if (Buffer.byteLength(given) > maxNameBytes) {
    throw validationFailed(`name must be ${maxNameBytes} bytes or less`)
  }
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'signup')
  await storeChallenge(ctx.sql, row)
  const name = given || ctx.config.webAuthn.rpDisplayName
  const user = { id, name, displayName: name }
  const options = creationOptions(ctx.config.webAuthn, { challenge, user, known: [] })
  return { challengeId: id, expiresAt, options }
}
