import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { selfSigned } from './self-signed.ts'

export type KeyAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** Deviations of an authenticator from a correct one. */
export interface Deviations {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  /** The user verification, by a fingerprint or the like. Default true. */
  userVerified?: boolean
  userPresent?: boolean
  backedUp?: boolean
  backupEligible?: boolean
  signCount?: number
  /** The user handle of the credential; null for an authenticator that does not store it. */
  userHandle?: string | null
  transports?: string[]
  /** Signs with another key than the registered one. */
  forged?: boolean
  attestation?:
    | 'none'
    | 'packed'
    | 'packed, wrongly signed'
    | 'none, with a statement'
    | 'apple'
    | 'fido-u2f'
    | 'fido-u2f, wrongly signed'
}

/** The options of a registration that are used. */
export interface CreationRequest {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

/** The options of an authentication that are used. */
export interface AssertionRequest {
  challenge: string
  rpId: string
}

/** A key pair of one user, with a browser around it. */
export interface Authenticator {
  credentialId: string
  /** COSE, in base64url. */
  publicKey: string
  create(options: CreationRequest, deviations?: Deviations): object
  get(options: AssertionRequest, deviations?: Deviations): object
}

const site = 'https://app.example.test'
const aaguid = Buffer.from('d548826e79b4db40a3d811116f7e8349', 'hex')

/**
 * Creates an authenticator in software: the responses of a browser and a security key to a server's
 * options, and responses that they would never send.
 */
export function createAuthenticator(algorithm: KeyAlgorithm = 'ES256'): Authenticator {
  const id = randomBytes(32)
  const credentialId = id.toString('base64url')
  const pair = newPair(algorithm)
  const other = newPair(algorithm)
  let userHandle = ''

  const signed = (text: Buffer, forged = false) =>
    sign(algorithm === 'EdDSA' ? null : 'sha256', text, (forged ? other : pair).privateKey)
  const credential = (response: object) => ({
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  })

  return {
    credentialId,
    publicKey: encodeCbor(coseKey(algorithm, pair.publicKey)).toString('base64url'),
    create: (options, deviations = {}) => {
      userHandle = options.user.id
      const clientData = clientDataOf('webauthn.create', options.challenge, deviations)
      const { attestation = 'none' } = deviations
      const isU2f = attestation.startsWith('fido-u2f')
      const authData = Buffer.concat([
        authenticatorData(options.rp.id, deviations, 0x40),
        // Authenticators from before FIDO2 do not report their model.
        isU2f ? Buffer.alloc(aaguid.length) : aaguid,
        Buffer.from([0, id.length]),
        id,
        encodeCbor(coseKey(algorithm, pair.publicKey)),
      ])
      const signature = signed(
        Buffer.concat([authData, sha256(clientData)]),
        attestation === 'packed, wrongly signed',
      )
      const statement = new Map<string, Cbor>([
        ['alg', algorithms[algorithm]],
        ['sig', signature],
      ])
      const attestationObject = encodeCbor(
        new Map<string, Cbor>([
          ['fmt', attestation.split(',')[0] ?? ''],
          [
            'attStmt',
            isU2f
              ? u2fStatement(
                  options.rp.id,
                  { id, key: pair.publicKey, clientData },
                  attestation !== 'fido-u2f',
                )
              : attestation === 'none'
                ? new Map()
                : statement,
          ],
          ['authData', authData],
        ]),
      )
      return credential({
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        transports: deviations.transports ?? ['internal', 'hybrid'],
      })
    },
    get: (options, deviations = {}) => {
      const clientData = clientDataOf('webauthn.get', options.challenge, deviations)
      const authData = authenticatorData(options.rpId, deviations)
      return credential({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signed(
          Buffer.concat([authData, sha256(clientData)]),
          deviations.forged,
        ).toString('base64url'),
        ...(deviations.userHandle !== null && { userHandle: deviations.userHandle ?? userHandle }),
      })
    },
  }
}

const clientDataOf = (
  type: string,
  challenge: string,
  { origin = site, ...deviations }: Deviations,
): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...pick(deviations) }))

const pick = ({ challenge, type }: Deviations) => ({
  ...(challenge !== undefined && { challenge }),
  ...(type !== undefined && { type }),
})

/** @see Web Authentication Level 3 §6.1 */
function authenticatorData(
  rpId: string,
  {
    userPresent = true,
    userVerified = true,
    backupEligible = true,
    backedUp = backupEligible,
    signCount = 0,
    ...deviations
  }: Deviations,
  flags = 0,
): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(signCount)
  const bits =
    flags |
    (userPresent ? 0x01 : 0) |
    (userVerified ? 0x04 : 0) |
    (backupEligible ? 0x08 : 0) |
    (backedUp ? 0x10 : 0)
  return Buffer.concat([sha256(deviations.rpId ?? rpId), Buffer.from([bits]), count])
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

function newPair(algorithm: KeyAlgorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ed25519')
}

const algorithms = { ES256: -7, RS256: -257, EdDSA: -8 }

/** @see RFC 9052 §7 */
function coseKey(algorithm: KeyAlgorithm, key: KeyObject): Map<number, Cbor> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const parts: Record<KeyAlgorithm, [number, Cbor][]> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
  }
  return new Map(parts[algorithm])
}

/** The attestation statement of a manufacturer's key. @see Web Authentication Level 3 §8.6 */
function u2fStatement(
  rpId: string,
  { id, key, clientData }: { id: Buffer; key: KeyObject; clientData: Buffer },
  forged: boolean,
): Map<string, Cbor> {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const signedBytes = [Buffer.from([0]), sha256(rpId), sha256(clientData), id, ...point]
  const maker = forged ? newPair('ES256').privateKey : selfSigned.key
  const certificate = new X509Certificate(selfSigned.cert).raw
  return new Map<string, Cbor>([
    ['x5c', [certificate]],
    ['sig', sign('sha256', Buffer.concat(signedBytes), maker)],
  ])
}

type Cbor = number | string | Buffer | Cbor[] | Map<number, Cbor> | Map<string, Cbor>

/** Encodes the part of CBOR that authenticators use. @see RFC 8949 §3 */
function encodeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)])
  const pairs = [...value].flatMap(([key, one]) => [encodeCbor(key), encodeCbor(one)])
  return Buffer.concat([head(5, value.size), ...pairs])
}

function head(major: number, length: number): Buffer {
  const first = major << 5
  if (length < 24) return Buffer.from([first | length])
  if (length < 256) return Buffer.from([first | 24, length])
  return Buffer.from([first | 25, length >> 8, length & 0xff])
}
