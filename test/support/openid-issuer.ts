import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { answerJson, type Heard, startWebServer } from './web-server.ts'

/** A key pair of an issuer. */
export interface IssuerKey {
  kid: string
  alg: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** An OpenID issuer on loopback that publishes the documents of the test. */
export interface OpenIdIssuer extends AsyncDisposable {
  /** The issuer in its tokens. */
  issuer: string
  heard: Heard[]
  /**
   * The published documents, by path. A test may change them; a function responds in place of the
   * server.
   */
  documents: Record<string, unknown>
  keys: IssuerKey[]
  /** Returns how often a document was requested. */
  requestsOf(path: string): number
  close(): Promise<void>
}

export const discoveryPath = '/.well-known/openid-configuration'
export const keysPath = '/keys'

/** Creates a key for an algorithm of RFC 7518. */
export function issuerKey(alg: string, kid: string): IssuerKey {
  if (alg === 'EdDSA') return { kid, alg, ...generateKeyPairSync('ed25519') }
  const namedCurve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg]
  if (namedCurve) return { kid, alg, ...generateKeyPairSync('ec', { namedCurve }) }
  return { kid, alg, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
}

export const publicJwk = ({ kid, alg, publicKey }: IssuerKey): JsonWebKey => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
})

export async function startOpenIdIssuer(keys: IssuerKey[]): Promise<OpenIdIssuer> {
  const documents: OpenIdIssuer['documents'] = {}
  const { url, heard, close } = await startWebServer((response, { path }) => {
    const document = documents[path]
    if (typeof document === 'function') document(response)
    else answerJson(response, document === undefined ? 404 : 200, document ?? {})
  })
  documents[discoveryPath] = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    jwks_uri: `${url}${keysPath}`,
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))],
  }
  documents[keysPath] = { keys: keys.map(publicJwk) }
  return {
    issuer: url,
    heard,
    documents,
    keys,
    requestsOf: (wanted) => heard.filter(({ path }) => path === wanted).length,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Creates a compact JWS with the given header, signed with the key's `alg`. */
export function signAs(
  { kid, alg, privateKey }: IssuerKey,
  claims: object,
  header: Record<string, unknown> = {},
): string {
  const input = `${encode({ alg, kid, ...header })}.${encode(claims)}`
  return `${input}.${signatureOf(alg, privateKey, input).toString('base64url')}`
}

/** Creates a compact JWS, signed with a shared secret. */
export function signBySecret(secret: string | Buffer, claims: object, header: object): string {
  const input = `${encode({ alg: 'HS256', ...header })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

function signatureOf(alg: string, key: KeyObject, input: string): Buffer {
  const bytes = Buffer.from(input)
  if (alg === 'EdDSA') return sign(null, bytes, key)
  const digest = `sha${alg.slice(2)}`
  if (alg.startsWith('ES')) return sign(digest, bytes, { key, dsaEncoding: 'ieee-p1363' })
  if (!alg.startsWith('PS')) return sign(digest, bytes, key)
  const saltLength = Number(alg.slice(2)) / 8
  return sign(digest, bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
}
