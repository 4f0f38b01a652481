import { constants, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { deepFreeze } from './deep-freeze.ts'
import { hmacSha256 } from './digest.ts'
import { isRecord } from './is-record.ts'

/** Signature algorithms of Latchkey's own tokens. `alg` values of RFC 7518 §3.1 and RFC 8037. */
export const jwsAlgorithms = ['HS256', 'RS256', 'RS512', 'ES256', 'ES512', 'EdDSA'] as const
export type JwsAlgorithm = (typeof jwsAlgorithms)[number]

/** A key with the only algorithm that it may be used with. */
export interface JwsKey {
  algorithm: JwsAlgorithm
  key: KeyObject
}

/**
 * Signature algorithms of other issuers: none uses a shared secret. @see RFC 7518 §3.1, RFC 8037
 * §3.1
 */
export const foreignJwsAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
] as const
export type ForeignJwsAlgorithm = (typeof foreignJwsAlgorithms)[number]

/** A public key of another issuer, with the only algorithm that it may be used with. */
export interface ForeignJwsKey {
  algorithm: ForeignJwsAlgorithm
  key: KeyObject
}

/** The three parts of a compact JWS, decoded but not verified. */
export interface DecodedJws {
  header: Readonly<Record<string, unknown>>
  payload: Record<string, unknown>
  signingInput: string
  signature: Buffer
}

const digests: Record<JwsAlgorithm | ForeignJwsAlgorithm, string | null> = {
  HS256: 'sha256',
  RS256: 'sha256',
  RS384: 'sha384',
  RS512: 'sha512',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  PS256: 'sha256',
  PS384: 'sha384',
  PS512: 'sha512',
  EdDSA: null,
}

/** Signs tokens with one key and header. */
export type JwsSigner = (payload: object) => Promise<string>

/**
 * Returns a function that signs payloads in the compact serialization, all with one header.
 *
 * RSA takes a millisecond, so asymmetric signatures are computed off the main thread.
 *
 * @see RFC 7515 §3.1
 */
export function jwsSigner({ algorithm, key }: JwsKey, header: Record<string, unknown>): JwsSigner {
  const encodedHeader = encodePart({ alg: algorithm, ...header })
  return async (payload) => {
    const input = `${encodedHeader}.${encodePart(payload)}`
    const signature = await makeSignature(algorithm, key, input)
    return `${input}.${signature.toString('base64url')}`
  }
}

/** Signs one payload, as {@link jwsSigner} does. */
export const signJws = (
  key: JwsKey,
  header: Record<string, unknown>,
  payload: object,
): Promise<string> => jwsSigner(key, header)(payload)

/**
 * The maximum length of a token: none of Latchkey's is longer, with as much metadata as the
 * settings permit. Longer ones are rejected before parsing.
 */
const maxTokenLength = 32_768

/** Reports whether a value may be a token. Hosts pass on values that need not be strings. */
export const isTokenText = (token: unknown): token is string =>
  typeof token === 'string' && token.length <= maxTokenLength

/** Splits a compact JWS without verifying its signature. Null if it is invalid. */
export function decodeJws(token: string): DecodedJws | null {
  if (!isTokenText(token)) return null
  const headerEnd = token.indexOf('.')
  const inputEnd = token.indexOf('.', headerEnd + 1)
  const signature = token.slice(inputEnd + 1)
  if (inputEnd === -1 || signature === '' || signature.includes('.')) return null
  const signatureBytes = Buffer.from(signature, 'base64url')
  // Unused bits at the end would permit several spellings of one token. @see RFC 4648 §3.5
  if (signatureBytes.toString('base64url') !== signature) return null
  const header = decodeHeader(token.slice(0, headerEnd))
  const payload = decodePart(token.slice(headerEnd + 1, inputEnd))
  if (!header || !payload) return null
  return { header, payload, signingInput: token.slice(0, inputEnd), signature: signatureBytes }
}

/**
 * Reports whether the signature is the key's, under the key's own algorithm, whatever the header
 * contains.
 */
export function isSignedBy({ algorithm, key }: JwsKey | ForeignJwsKey, jws: DecodedJws): boolean {
  if (algorithm === 'HS256') {
    const expected = hmacSha256(key, jws.signingInput)
    return expected.length === jws.signature.length && timingSafeEqual(expected, jws.signature)
  }
  const input = Buffer.from(jws.signingInput)
  return verify(digests[algorithm], input, opensslKey(algorithm, key), jws.signature)
}

function makeSignature(algorithm: JwsAlgorithm, key: KeyObject, input: string): Promise<Buffer> {
  if (algorithm === 'HS256') return Promise.resolve(hmacSha256(key, input))
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(input)
    sign(digests[algorithm], bytes, opensslKey(algorithm, key), (error, signature) =>
      error ? reject(error) : resolve(signature),
    )
  })
}

function opensslKey(algorithm: JwsAlgorithm | ForeignJwsAlgorithm, key: KeyObject) {
  // The form `r ‖ s`; OpenSSL's default is DER. @see RFC 7518 §3.4
  if (algorithm.startsWith('ES')) return { key, dsaEncoding: 'ieee-p1363' as const }
  if (!algorithm.startsWith('PS')) return key
  // The salt has the length of the digest. @see RFC 7518 §3.5
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants
  return { key, padding, saltLength }
}

const encodePart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The last short header that was decoded: all tokens that one key signs have the same. */
let lastHeader: { part: string; header: DecodedJws['header'] } | null = null
const maxShortHeader = 256

function decodeHeader(part: string): DecodedJws['header'] | null {
  if (lastHeader?.part === part) return lastHeader.header
  const header = decodePart(part)
  if (header === null || part.length > maxShortHeader) return header
  // A slice would keep the whole token in memory.
  lastHeader = { part: Buffer.from(part).toString(), header: deepFreeze(header) }
  return header
}

function decodePart(part: string): Record<string, unknown> | null {
  try {
    const bytes = Buffer.from(part, 'base64url')
    // Node skips characters that are not base64url; the result then has too few bytes. @see RFC
    // 7515 §5.2
    if (Math.ceil((bytes.length * 4) / 3) !== part.length) return null
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
