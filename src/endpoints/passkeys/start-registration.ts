import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { credentialHolder } from '../../accounts/callers/credential-holder.ts'
import { tooManyPasskeys } from '../../accounts/passkeys/passkey-errors.ts'
import { storeRegistrationChallenge } from '../../accounts/passkeys/store-challenge.sql.ts'
import { creationOptions } from '../../credentials/webauthn/ceremony-options.ts'
import { issueChallenge } from './issue-challenge.ts'
import type { PasskeyRegistration } from './passkeys.endpoint.ts'
import { requirePasskeys } from './require-enabled.ts'
import { requireMayRegister } from './require-passkeys.ts'

/**
 * Begins to register a passkey of the caller, in this session alone.
 *
 * @throws AuthError `passkey_disabled` (404), `no_authorization` (403) for an anonymous visitor, `validation_failed`
 *   (422) for a user of single sign-on, `session_not_found`, `insufficient_aal`,
 *   `reauthentication_needed` (403), `too_many_passkeys` (422).
 */
export async function startRegistration(
  ctx: AuthContext,
  caller: Caller,
): Promise<PasskeyRegistration> {
  requirePasskeys(ctx)
  const session = requireMayRegister(ctx, caller)
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
