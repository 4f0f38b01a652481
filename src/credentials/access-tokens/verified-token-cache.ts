import { hash } from 'node:crypto'
import { deepFreeze } from '../../platform/kit/deep-freeze.ts'
import type { AccessTokenClaims } from './claims.ts'

/** What tokens say whose signature was found good. */
export interface VerifiedTokenCache {
  /** Null for a token that is not remembered. */
  get(digest: string): AccessTokenClaims | null
  set(digest: string, claims: AccessTokenClaims): void
}

/** What a token is remembered by: neither memory nor a comparison gives away the token itself. */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64')

/** Claims that several may hold: none of them can change what they say to the others. */
export const sharedClaims = (claims: AccessTokenClaims): AccessTokenClaims =>
  Object.isFrozen(claims) ? claims : deepFreeze(claims)

/**
 * Remembers at least so many of the last tokens that were shown more than once, and at most twice as many.
 *
 * A client sends one token for as long as it lives, and a signature by RSA or on an elliptic curve takes
 * up to 0.2 ms to check. A good one stays good while its key does, so a memory belongs to one ring of keys
 * and ends with it. All else about a token is to be asked each time.
 *
 * Of a token that was shown once only the digest is kept: where more clients come by than fit, nobody's
 * claims should fill the memory for nothing.
 */
export function createVerifiedTokenCache(atLeast = 2_000): VerifiedTokenCache {
  let recent = new Map<string, AccessTokenClaims | null>()
  let older = new Map<string, AccessTokenClaims | null>()
  const keep = (digest: string, claims: AccessTokenClaims | null): void => {
    if (recent.size >= atLeast) [older, recent] = [recent, new Map()]
    recent.set(digest, claims)
  }
  return {
    get: (digest) => {
      const claims = recent.get(digest)
      if (claims) return claims
      const kept = older.get(digest)
      if (kept) keep(digest, kept)
      return kept ?? null
    },
    set: (digest, claims) => {
      const wasShown = recent.has(digest) || older.has(digest)
      keep(digest, wasShown ? sharedClaims(claims) : null)
    },
  }
}
