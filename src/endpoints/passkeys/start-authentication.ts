import type { AuthContext } from '../../accounts/auth-context.ts'
import { storeChallenge } from '../../accounts/passkeys/store-challenge.sql.ts'
import { requestOptions } from '../../credentials/webauthn/ceremony-options.ts'
import { issueChallenge } from './issue-challenge.ts'
import type { PasskeyAuthentication } from './passkeys.endpoint.ts'
import { requirePasskeys } from './require-enabled.ts'

/**
 * Begins to sign in by passkey, whoever it will be.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export async function startAuthentication(ctx: AuthContext): Promise<PasskeyAuthentication> {
  requirePasskeys(ctx)
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'authentication')
  await storeChallenge(ctx.sql, row)
  return { challengeId: id, expiresAt, options: requestOptions(ctx.config.webAuthn, challenge) }
}
