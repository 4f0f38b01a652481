import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto'
import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { jsonReader } from '../../../credentials/external/protocol/json-reader.ts'
import { publicKeyReader } from '../../../credentials/external/protocol/public-keys.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { decodeJws, foreignJwsAlgorithms, isSignedBy } from '../../../platform/kit/jws.ts'
import { baseOf } from './issuer.ts'
import { oauthError } from './oauth-errors.ts'
import { consumeProof } from './spent-proofs.sql.ts'

/** How old a proof may be, and how far in the future. */
const maxAgeSeconds = 300

const invalidProof = (reason: string) =>
  oauthError('invalid_dpop_proof', `The DPoP proof ${reason}`)

interface ProvedRequest {
  method: string
  /** The path of the endpoint, such as `/oauth/token`. */
  path: string
  /** The access token of a request to a resource, and the thumbprint that it is bound to. */
  bound?: { accessToken: string; keyThumbprint: string }
}

/**
 * Verifies the proof of a request by which tokens are bound to a key. It is valid once. The proof
 * of another key than that of the access token is rejected before its signature is verified: the
 * client chooses the key, and so the time that it takes.
 *
 * @returns the thumbprint of the key; null for a request without a proof.
 * @throws AuthError `invalid_dpop_proof` (400).
 * @see RFC 9449 §4.3
 */
export async function verifyProof(
  ctx: AuthContext,
  event: H3Event,
  request: ProvedRequest,
): Promise<string | null> {
  const header = event.req.headers.get('dpop')
  if (header === null) return null
  const jws = decodeJws(header)
  if (jws?.header['typ'] !== 'dpop+jwt' || jws.header['crit'] !== undefined) {
    throw invalidProof('is not a signed token of this type')
  }
  const { alg, jwk } = jws.header
  const algorithm = foreignJwsAlgorithms.find((name) => name === alg)
  if (!algorithm || !isRecord(jwk) || 'd' in jwk || 'k' in jwk) {
    throw invalidProof('has no public key, or another algorithm')
  }
  const { kid: _, use: __, alg: ___, key_ops: ____, ...bare } = jwk
  const [key] = publicKeyReader()(jsonReader({ keys: [bare] }), { kid: null, algorithm })
  if (!key) throw invalidProof('is not signed by its key')
  const thumbprint = thumbprintOf(bare as JsonWebKey)
  const { htm, htu, iat, jti, ath } = jws.payload
  const { bound } = request
  if (bound && bound.keyThumbprint !== thumbprint) throw invalidProof('is signed by another key')
  if (htm !== request.method) throw invalidProof('is for another method')
  if (!isUrlOf(ctx, htu, request.path)) throw invalidProof('is for another URL')
  const now = ctx.clock.now().getTime() / 1000
  if (typeof iat !== 'number' || Math.abs(now - iat) > maxAgeSeconds) {
    throw invalidProof('is too old, or not valid yet')
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > 500) throw invalidProof('has no jti')
  if (bound && ath !== hashOf(bound.accessToken)) throw invalidProof('is for another access token')
  if (!isSignedBy({ algorithm, key }, jws)) throw invalidProof('is not signed by its key')
  const expiresAt = new Date((iat + 2 * maxAgeSeconds) * 1000)
  if (!(await consumeProof(ctx.sql, ['dpop', thumbprint, jti], expiresAt))) {
    throw invalidProof('was used before')
  }
  return thumbprint
}

/** Returns the SHA-256 of a text in base64url, as `ath` contains it. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Compares the URL of a proof, without query, with that of the endpoint. */
function isUrlOf({ config }: AuthContext, htu: unknown, path: string): boolean {
  if (typeof htu !== 'string') return false
  const url = URL.parse(htu)
  if (!url) return false
  url.search = ''
  url.hash = ''
  const expected = [`${baseOf(config)}${path}`, `${config.externalUrl}${path}`]
  return expected.some((one) => URL.parse(one)?.href === url.href)
}

/** @see RFC 7638 §3 */
function thumbprintOf(jwk: JsonWebKey): string {
  const exported = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'jwk' })
  const members = Object.entries(exported).filter(([name]) =>
    ['crv', 'e', 'kty', 'n', 'x', 'y'].includes(name),
  )
  const canonical = Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(JSON.stringify(canonical)).digest('base64url')
}
