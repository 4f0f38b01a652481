import type { Deps } from '../../accounts/auth-context.ts'
import { badJwt } from '../../credentials/access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { AcceptedCaller } from '../../credentials/access-tokens/token-subject.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import {
  requireAudience,
  verifyAccessToken,
} from '../../credentials/access-tokens/verify-access-token.ts'
import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'

/**
 * Returns the claims of an access token of this service for its own audience, without a query.
 * Tokens of OAuth clients are rejected, unless they are accepted: a client must not act with all
 * rights of the user.
 *
 * @throws AuthError `bad_jwt` (403).
 */
export async function verifyOwnToken(
  { keys, clock, config }: Pick<Deps, 'keys' | 'clock' | 'config'>,
  accessToken: string,
  { acceptsClients = false }: AcceptedCaller = {},
): Promise<AccessTokenClaims> {
  if ((accessToken ?? '') === '') throw badJwt('the token is missing')
  const terms = { now: clock.now(), issuer: config.jwt.issuer }
  const claims = await verifyAccessToken(keys, accessToken, terms)
  requireAudience(claims, config.jwt.audience)
  if (!acceptsClients && claims.client_id !== undefined) {
    throw badJwt('token is of an OAuth client')
  }
  return sharedClaims(claims)
}

/** Errors of a token without a signed-in user; a new sign-in helps. A ban is not one of them. */
const unauthenticated: ReadonlySet<AuthErrorCode> = new Set([
  'bad_jwt',
  'session_not_found',
  'session_expired',
  'user_not_found',
])

/**
 * Changes the status of a token without a signed-in user to 401, for a host's own endpoint. The
 * wire has 403, as its clients expect. The code stays the same.
 *
 * @see RFC 6750 §3.1 `invalid_token`
 */
export async function withHostStatus<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AuthError) || !unauthenticated.has(error.code)) throw error
    const { code, message, details, cause } = error
    throw new AuthError(code, 401, message, details, { cause })
  }
}
