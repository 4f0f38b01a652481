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

/** Signs a token about a user's session. */
export async function issueAccessToken(
  keys: KeyRing,
  subject: SubjectClaims,
  { issuer, lifetimeSeconds, now }: TokenTerms,
): Promise<IssuedAccessToken> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresAt = issuedAt + lifetimeSeconds
  const token = await keys.sign({
    ...(issuer !== null && { iss: issuer }),
    ...subject,
    exp: expiresAt,
    iat: issuedAt,
  })
  return { token, expiresAt: new Date(expiresAt * 1000), expiresInSeconds: lifetimeSeconds }
}
