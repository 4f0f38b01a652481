import type { Deps } from '../../accounts/auth-context.ts'
import { badJwt } from '../../credentials/access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { AcceptedCaller } from '../../credentials/access-tokens/token-subject.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import {
  requireAudience,
  verifyAccessToken,
} from '../../credentials/access-tokens/verify-access-token.ts'

/**
 * Returns the claims of an access token of this service for its own audience, without a query. Tokens
 * of OAuth clients are rejected, unless they are accepted: a client must not act with all rights of
 * the user.
 *
 * @throws AuthError `bad_jwt` (403).
 */
export async function verifyOwnToken(
  { keys, clock, config }: Pick<Deps, 'keys' | 'clock' | 'config'>,
  accessToken: string,
  { acceptsClients = false }: AcceptedCaller = {},
): Promise<AccessTokenClaims> {
  const terms = { now: clock.now(), issuer: config.jwt.issuer }
  const claims = await verifyAccessToken(keys, accessToken, terms)
  requireAudience(claims, config.jwt.audience)
  if (!acceptsClients && claims.client_id !== undefined) {
    throw badJwt('token is of an OAuth client')
  }
  return sharedClaims(claims)
}
