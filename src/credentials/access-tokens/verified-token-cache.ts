import { hash } from 'node:crypto'
import { deepFreeze } from '../../platform/kit/deep-freeze.ts'
import type { AccessTokenClaims } from './claims.ts'

/** The claims of tokens whose signature was verified. */
export interface VerifiedTokenCache {
  /** Returns the claims; null for a token that is not cached. */
  get(digest: string): AccessTokenClaims | null
  set(digest: string, claims: AccessTokenClaims): void
}

/**
 * The key of a token in the cache. Neither memory nor the time of a comparison reveals the token.
 */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64')

/** Freezes claims that several callers share, so that none can change them for the others. */
export const sharedClaims = (claims: AccessTokenClaims): AccessTokenClaims =>
  Object.isFrozen(claims) ? claims : deepFreeze(claims)

/**
 * Caches the claims of tokens that were verified more than once: at least the last `atLeast` ones,
 * at most twice as many.
 *
 * A client sends one token for all of its lifetime, and verifying an RSA or elliptic curve
 * signature takes up to 0.2 ms. A valid signature stays valid while its key does, so a cache
 * belongs to one key ring and is discarded with it. All other conditions of a token are checked at
 * each use.
 *
 * For a token that was verified once, only the digest is stored. Otherwise the claims of many
 * clients that each send one request would displace those of repeated ones.
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
