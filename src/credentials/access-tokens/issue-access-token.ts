import { accessTokenTooLarge } from './access-token-errors.ts'
import type { AccessTokenClaims } from './claims.ts'
import type { KeyRing } from './key-ring.ts'

/** Whom and what a new token is about: the claims that depend on user and session. */
export type SubjectClaims = Required<
  Pick<
    AccessTokenClaims,
    'sub' | 'aud' | 'role' | 'email' | 'phone' | 'app_metadata' | 'user_metadata'
  > &
    Pick<AccessTokenClaims, 'aal' | 'amr' | 'session_id' | 'is_anonymous'>
>

/** All that a token about a user's session says. */
export type IssuedClaims = AccessTokenClaims &
  Required<Pick<AccessTokenClaims, 'sub' | 'session_id' | 'exp' | 'iat'>>

export interface TokenTerms {
  issuer: string | null
  lifetimeSeconds: number
  now: Date
}

export interface IssuedAccessToken {
  token: string
  expiresAt: Date
  expiresInSeconds: number
}

/** What a token says that is issued now. */
export function accessTokenClaims(
  subject: SubjectClaims,
  { issuer, lifetimeSeconds, now }: TokenTerms,
): IssuedClaims {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return {
    ...(issuer !== null && { iss: issuer }),
    ...subject,
    exp: issuedAt + lifetimeSeconds,
    iat: issuedAt,
  }
}

/**
 * The most that a token may take: Node takes 16 KiB of headers in a request, and 1 KiB is left for the others. Some
 * proxies take 8 KiB for a header, which the log warns of long before.
 */
export const maxTokenBytes = 15 * 1024

/**
 * Signs a token about a user's session.
 *
 * @throws AuthError `unexpected_failure` (500) for a token that fits into the headers of no request.
 */
export async function issueAccessToken(
  keys: KeyRing,
  claims: IssuedClaims,
): Promise<IssuedAccessToken> {
  const token = await keys.sign(claims)
  if (token.length > maxTokenBytes) throw accessTokenTooLarge(token.length, maxTokenBytes)
  const { exp, iat } = claims
  return { token, expiresAt: new Date(exp * 1000), expiresInSeconds: exp - iat }
}
