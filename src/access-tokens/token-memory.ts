import { hash } from 'node:crypto'

/** Payloads of tokens whose signature was found good. */
export interface TokenMemory {
  /** What a token says, as JSON; null for one that is not remembered. */
  recall(digest: string): string | null
  remember(digest: string, payload: string): void
}

/** What a token is remembered under: neither memory nor a comparison gives away the token itself. */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64')

/**
 * Remembers at least the last so many tokens, and at most twice as many.
 *
 * A client sends one token for as long as it lives, and a signature by RSA or on an elliptic curve takes
 * up to 0.2 ms to check. A good one stays good while its key does, so a memory belongs to one ring of keys
 * and ends with it. All else about a token is to be asked each time.
 */
export function createTokenMemory(atLeast = 2_000): TokenMemory {
  let recent = new Map<string, string>()
  let older = new Map<string, string>()
  const remember = (digest: string, payload: string): void => {
    if (recent.size >= atLeast) [older, recent] = [recent, new Map()]
    recent.set(digest, payload)
  }
  return {
    recall: (digest) => {
      const payload = recent.get(digest)
      if (payload !== undefined) return payload
      const kept = older.get(digest)
      if (kept === undefined) return null
      remember(digest, kept)
      return kept
    },
    remember,
  }
}
