import type { AuthContext } from '../../deps.ts'
import { tooManyPasskeys } from '../../passkeys/passkey-errors.ts'
import { storeRegistrationChallenge } from '../../passkeys/store-challenge.sql.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { credentialHolder } from '../../steps/credential-holder.ts'
import { creationOptions } from '../../webauthn/ceremony-options.ts'
import { issueChallenge } from './issue-challenge.ts'
import type { PasskeyRegistration } from './passkeys.endpoint.ts'
import { requireMayRegister, requirePasskeys } from './require-passkeys.ts'

/**
 * Begins to register a passkey of the caller, in this session alone.
 *
 * @throws AuthError `passkey_disabled` (404), `no_authorization` (403) for an anonymous visitor, `validation_failed`
 *   (422) for a user of single sign-on, `session_not_found`, `insufficient_aal` (403), `too_many_passkeys` (422).
 */
export async function startRegistration(
  ctx: AuthContext,
  caller: Caller,
): Promise<PasskeyRegistration> {
  requirePasskeys(ctx)
  const session = requireMayRegister(caller)
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'registration')
  const { user } = caller
  const known = await storeRegistrationChallenge(
    ctx.sql,
    { ...row, user_id: user.id, session_id: session.id },
    ctx.config.passkeys.maxPasskeysPerUser,
  )
  if (!known) throw tooManyPasskeys()
  const options = creationOptions(ctx.config.webAuthn, {
    challenge,
    user: credentialHolder(user),
    known,
  })
  return { challengeId: id, expiresAt, options }
}
