import type { Deps } from '../../accounts/auth-context.ts'
import { requireCaller } from '../../accounts/callers/authenticate-caller.ts'
import { badJwt } from '../../credentials/access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { openCall } from './call-options.ts'

/**
 * Ensures that the session of a client's token has not ended. A token of the client itself has
 * none.
 *
 * @throws AuthError as {@link requireCaller}.
 * @internal
 */
export async function requireLiveGrant(deps: Deps, claims: AccessTokenClaims): Promise<void> {
  if (claims.sub === claims.client_id) return
  // The audience is compared before: the resource, instead of that of the user.
  const { aud: _, ...others } = claims
  const { session } = await requireCaller(openCall(deps), others, { acceptsClients: true })
  if (session?.grant?.clientId !== claims.client_id) throw badJwt('token has another client')
}
