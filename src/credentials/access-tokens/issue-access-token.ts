import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { accessTokenTooLarge } from './access-token-errors.ts'
import { type AccessTokenClaims, isForResource } from './claims.ts'
import type { KeyRing } from './key-ring.ts'

/** The claims of a new token that depend on its user and session. */
export type SubjectClaims = Required<
  Pick<
    AccessTokenClaims,
    'sub' | 'aud' | 'role' | 'email' | 'phone' | 'app_metadata' | 'user_metadata'
  > &
    Pick<AccessTokenClaims, 'aal' | 'amr' | 'session_id' | 'is_anonymous'>
>

/** All claims of a token for a user's session. */
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

/** Returns the claims of a token that is issued now. */
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

/** Signs an access token. One for a resource has the type of RFC 9068 §2.1. */
export const signAccessToken = (keys: KeyRing, claims: AccessTokenClaims): Promise<string> =>
  keys.sign(claims, isForResource(claims) ? 'at+jwt' : 'JWT')

/**
 * The maximum size of a token. Node accepts 16 KiB of headers in a request; 1 KiB is left for the
 * others. Some proxies accept 8 KiB per header; the log warns at a much smaller size.
 */
export const maxTokenBytes = 15 * 1024

/**
 * Signs a token for a user's session.
 *
 * @throws AuthError `unexpected_failure` (500) for a token that exceeds the headers of a request.
 */
export async function issueAccessToken(
  keys: KeyRing,
  claims: IssuedClaims,
): Promise<IssuedAccessToken> {
  const token = await signAccessToken(keys, claims)
  if (token.length > maxTokenBytes) {
    throw accessTokenTooLarge(token.length, maxTokenBytes, largestOf(claims))
  }
  const { exp, iat } = claims
  return { token, expiresAt: new Date(exp * 1000), expiresInSeconds: exp - iat }
}

/** Role and lifetime of an operator's token. */
interface ServiceTokenTerms {
  role: string
  lifetimeSeconds: number
  now: Date
}

/** Signs a token for administration. It has a role, and neither user nor session. */
export function issueServiceToken(
  keys: KeyRing,
  { role, lifetimeSeconds, now }: ServiceTokenTerms,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return keys.sign({ role, iat: issuedAt, exp: issuedAt + lifetimeSeconds })
}

/** Observes the sizes of issued tokens. */
export interface TokenSizes {
  noteIssued(token: string, claims: IssuedClaims): void
}

/**
 * The size that causes a warning. Each request carries a token, and some proxies limit headers to 8
 * KiB.
 */
const warningBytes = 2048
const warnEveryMs = 60 * 60 * 1000

/** Warns of tokens larger than 2 KiB, once an hour, with the names of the largest claims. */
export function watchTokenSizes({ clock, logger }: { clock: Clock; logger: Logger }): TokenSizes {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    noteIssued: (token, claims) => {
      const now = clock.now().getTime()
      if (token.length <= warningBytes || now - warnedAt < warnEveryMs) return
      warnedAt = now
      const fields = { user_id: claims.sub, bytes: token.length, largest: largestOf(claims) }
      logger.warn(fields, 'large access token issued; every request carries it')
    },
  }
}

/** Returns names and sizes only, since values may be personal. */
const largestOf = (claims: IssuedClaims): Record<string, number> =>
  Object.fromEntries(
    Object.entries(claims)
      .map(([name, value]): [string, number] => [
        // A hook may put personal data into a name.
        name.slice(0, 50),
        JSON.stringify(value)?.length ?? 0,
      ])
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 3),
  )
