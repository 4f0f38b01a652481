import type { Deps } from '../../accounts/auth-context.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import {
  requireAudience,
  verifyAccessToken,
} from '../../credentials/access-tokens/verify-access-token.ts'

/**
 * Returns the claims of an access token of this service for its own audience, without a query.
 *
 * @throws AuthError `bad_jwt` (403).
 */
export async function verifyOwnToken(
  { keys, clock, config }: Pick<Deps, 'keys' | 'clock' | 'config'>,
  accessToken: string,
): Promise<AccessTokenClaims> {
  const terms = { now: clock.now(), issuer: config.jwt.issuer }
  const claims = await verifyAccessToken(keys, accessToken, terms)
  requireAudience(claims, config.jwt.audience)
  return sharedClaims(claims)
}
