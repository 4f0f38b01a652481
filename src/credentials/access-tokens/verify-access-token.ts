import { type DecodedJws, decodeJws, isSignedBy, isTokenText } from '../../platform/kit/jws.ts'
import { badJwt } from './access-token-errors.ts'
import type { AccessTokenClaims } from './claims.ts'
import type { KeyRing } from './key-ring.ts'
import type { TokenKey } from './token-key.ts'

/** The conditions that a token must meet. */
export interface TokenExpectations {
  now: Date
  issuer: string | null
}

const acceptedTypes = new Set([undefined, 'JWT', 'at+jwt'])

/**
 * Verifies a token. The key determines the algorithm, not the header of the token; a token with a
 * `kid` is verified with that key only. The caller compares the audience: see {@link hasAudience}.
 * Claims that leave the service pass through `sharedClaims`.
 *
 * @throws AuthError `bad_jwt` unless the token is one of ours and valid now.
 * @see RFC 8725 §3.1, §3.11
 */
export async function verifyAccessToken(
  keys: KeyRing,
  token: string,
  { now, issuer }: TokenExpectations,
): Promise<AccessTokenClaims> {
  const claims = await verifySignedToken(keys, token)
  requireWithinLifetime(claims, now)
  if (issuer !== null && claims.sub !== undefined && claims.iss !== issuer) {
    throw badJwt('token has invalid claims: token has invalid issuer')
  }
  return claims
}

/**
 * The length up to which tokens are cached. Claims may need many times the memory of their token.
 */
const maxRememberedLength = 4_096

/**
 * Returns the claims of a token with a valid signature, whether or not it has expired.
 *
 * @throws AuthError `bad_jwt` unless the token is one of ours.
 */
export async function verifySignedToken(keys: KeyRing, token: string): Promise<AccessTokenClaims> {
  if (!isTokenText(token)) throw malformed()
  // The cache of the current ring: a ring that replaces it during `refresh` may not contain the
  // key.
  const memory = keys.memory()
  const remembered = memory.get(token)
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
  if (token.length <= maxRememberedLength) memory.set(token, claims)
  return claims
}

function requireKnownHeader({ header: { typ, crit } }: DecodedJws): void {
  // No header extension is supported, so none may be critical. @see RFC 7515 §4.1.11
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

/**
 * Returns whether a token is for one of the audiences. A token without `aud` is for all of them.
 */
export function hasAudience({ aud }: AccessTokenClaims, ...audiences: string[]): boolean {
  if (aud === undefined) return true
  if (typeof aud === 'string') return audiences.includes(aud)
  return [aud].flat().some((audience) => audiences.includes(audience))
}

/** @throws AuthError `bad_jwt` when the token is for none of the audiences. */
export function requireAudience(claims: AccessTokenClaims, ...audiences: string[]): void {
  if (hasAudience(claims, ...audiences)) return
  throw badJwt('token has invalid claims: token has invalid audience')
}

/**
 * Returns the id of the session that a token names; undefined without one. The token is not
 * verified and may have expired, so it is only a reason to reject.
 */
export const namedSession = (token: string): unknown => decodeJws(token)?.payload['session_id']
