import { type DecodedJws, decodeJws, isSignedBy, isTokenText } from '../../platform/kit/jws.ts'
import { badJwt } from './access-token-errors.ts'
import type { AccessTokenClaims } from './claims.ts'
import type { KeyRing } from './key-ring.ts'
import type { TokenKey } from './token-key.ts'
import { tokenDigest } from './verified-token-cache.ts'

/** What a token must agree with. */
export interface TokenExpectations {
  now: Date
  issuer: string | null
}

const acceptedTypes = new Set([undefined, 'JWT', 'at+jwt'])

/**
 * Verifies a token, or throws. The algorithm is the key's own, whatever the token's header says, and
 * a token that names a key is tried with that key alone. The audience is the caller's to compare:
 * see {@link hasAudience}. What leaves the service goes through `sharedClaims`.
 *
 * @throws AuthError `bad_jwt` for anything else than a token of ours that is valid at this moment.
 * @see RFC 8725 §3.1, §3.11
 */
export async function verifyAccessToken(
  keys: KeyRing,
  token: string,
  { now, issuer }: TokenExpectations,
): Promise<AccessTokenClaims> {
  const claims = await signedClaims(keys, token)
  requireWithinLifetime(claims, now)
  if (issuer !== null && claims.sub !== undefined && claims.iss !== issuer) {
    throw badJwt('token has invalid claims: token has invalid issuer')
  }
  return claims
}

/** Claims may take many times the room of their token: whoever says much is looked at each time. */
const maxRememberedLength = 4_096

/** What a token of ours says, whether or not it is valid at this moment. */
async function signedClaims(keys: KeyRing, token: string): Promise<AccessTokenClaims> {
  if (!isTokenText(token)) throw malformed()
  const digest = tokenDigest(token)
  // Of the ring at this moment: one that takes its place meanwhile may not have the key.
  const memory = keys.memory()
  const remembered = memory.get(digest)
  if (remembered) return remembered

  const jws = decodeJws(token)
  if (!jws) throw malformed()
  requireKnownHeader(jws)
  const { kid, alg } = jws.header
  let candidates = keys.findForVerification(kid, alg)
  if (candidates.length === 0 && (await keys.refresh())) {
    candidates = keys.findForVerification(kid, alg)
  }
  requireSignature(candidates, jws)
  const claims: AccessTokenClaims = jws.payload
  if (token.length <= maxRememberedLength) memory.set(digest, claims)
  return claims
}

function requireKnownHeader({ header: { typ, crit } }: DecodedJws): void {
  // We know no extension, so none that must be understood. @see RFC 7515 §4.1.11
  if (crit !== undefined) throw badJwt('token has a crit header that is not understood')
  if (!acceptedTypes.has(typ as string | undefined)) throw badJwt('token has an unacceptable type')
}

function requireSignature(candidates: readonly TokenKey[], jws: DecodedJws): void {
  if (candidates.length === 0) throw badJwt('token is unverifiable: no such key')
  if (!candidates.some((key) => isSignedBy(key.verification, jws))) {
    throw badJwt('token signature is invalid: signature is invalid')
  }
}

const malformed = () => badJwt('token is malformed: token contains an invalid number of segments')

function requireWithinLifetime({ exp, nbf }: AccessTokenClaims, now: Date): void {
  const seconds = now.getTime() / 1000
  if (exp !== undefined && !(typeof exp === 'number' && seconds < exp)) {
    throw badJwt('token has invalid claims: token is expired')
  }
  if (nbf !== undefined && !(typeof nbf === 'number' && seconds >= nbf)) {
    throw badJwt('token has invalid claims: token is not valid yet')
  }
}

/** Whether a token is meant for one of the audiences; one that names none is meant for all. */
export function hasAudience({ aud }: AccessTokenClaims, ...audiences: string[]): boolean {
  if (aud === undefined) return true
  if (typeof aud === 'string') return audiences.includes(aud)
  return [aud].flat().some((audience) => audiences.includes(audience))
}

/** @throws AuthError `bad_jwt` when the token is meant for none of the audiences. */
export function requireAudience(claims: AccessTokenClaims, ...audiences: string[]): void {
  if (hasAudience(claims, ...audiences)) return
  throw badJwt('token has invalid claims: token has invalid audience')
}
