import { hash } from 'node:crypto'
import { deepFreeze } from '../../platform/kit/deep-freeze.ts'
import type { AccessTokenClaims } from './claims.ts'

/** The claims of tokens whose signature was verified. */
export interface VerifiedTokenCache {
  /** Returns the claims; null for a token that is not cached. */
  get(token: string): AccessTokenClaims | null
  set(token: string, claims: AccessTokenClaims): void
}

/** A token that was verified more than once. */
interface VerifiedToken {
  /** Neither memory nor the time of a comparison reveals the token. */
  digest: string
  claims: AccessTokenClaims
}

const digestOf = (token: string): string => hash('sha256', token, 'base64')

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
 * A token is found by a part of its signature, and only used if its digest is equal. For a token
 * that was verified once, only that part is stored. Otherwise the claims of many clients that each
 * send one request would displace those of repeated ones.
 */
export function createVerifiedTokenCache(atLeast = 2_000): VerifiedTokenCache {
  let recent = new Map<string, VerifiedToken | null>()
  let older = new Map<string, VerifiedToken | null>()
  const keep = (part: string, verified: VerifiedToken | null): void => {
    if (recent.size >= atLeast) [older, recent] = [recent, new Map()]
    recent.set(copyOf(part), verified)
  }
  const find = (part: string): VerifiedToken | null => {
    const verified = recent.get(part)
    if (verified) return verified
    const kept = older.get(part)
    if (kept) keep(part, kept)
    return kept ?? null
  }
  return {
    get: (token) => {
      const verified = find(signaturePart(token))
      return verified && verified.digest === digestOf(token) ? verified.claims : null
    },
    set: (token, claims) => {
      const part = signaturePart(token)
      const wasShown = recent.has(part) || older.has(part)
      keep(part, wasShown ? { digest: digestOf(token), claims: sharedClaims(claims) } : null)
    },
  }
}

/** Returns 22 characters of the signature: 132 bits. */
const signaturePart = (token: string): string => token.slice(-22)

/** Returns a string of its own: a slice would keep the whole token in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
