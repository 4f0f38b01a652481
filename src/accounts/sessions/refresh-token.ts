import { createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256, hmacSha256Hex, sha256Hex } from '../../platform/kit/digest.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import { uuidFromBytes, uuidToBytes } from '../../platform/kit/uuid.ts'

/**
 * A refresh token contains the session that it renews and the number of earlier renewals. It is
 * signed with a key of its session, so that access to the database is not enough to issue one.
 *
 * Form: base64url of version (1 byte), session id (16), counter (unsigned LEB128), the first 16
 * bytes of an HMAC-SHA-256 over all before, and the first 4 bytes of a SHA-256 over all before.
 */
export interface RefreshToken {
  sessionId: string
  counter: number
  /** The session's key under the current root key, where it was derived before. */
  key?: KeyObject
}

const version = 0
const signatureBytes = 16
const checksumBytes = 4
const counterOffset = 17
const minBytes = counterOffset + 1 + signatureBytes + checksumBytes
const base64url = /^[\w-]+$/

/** The maximum length of a token: a counter has five bytes at most. */
const maxLength = Math.ceil(((minBytes + 4) * 4) / 3)

export const encodeRefreshToken = (roots: RootKeys, token: RefreshToken): string =>
  signRefreshToken(token.key ?? keyOf(roots.current, token.sessionId), token)

/**
 * Signs a refresh token.
 *
 * @param key of this session only. Keys of own sessions derive from a root key; those of imported
 *   sessions are random.
 */
export function signRefreshToken(
  key: KeyObject | Uint8Array,
  { sessionId, counter }: RefreshToken,
): string {
  const counterBytes = leb128(counter)
  const bodyEnd = counterOffset + counterBytes.length
  const signedEnd = bodyEnd + signatureBytes
  const bytes = Buffer.alloc(signedEnd + checksumBytes)
  bytes[0] = version
  bytes.set(uuidToBytes(sessionId), 1)
  bytes.set(counterBytes, counterOffset)
  bytes.set(signature(key, bytes.subarray(0, bodyEnd)), bodyEnd)
  bytes.write(checksum(bytes.subarray(0, signedEnd)), signedEnd, 'hex')
  return bytes.toString('base64url')
}

/**
 * Reads a token. Returns `malformed` for a text that never was one (the checksum detects a typing
 * error without a key), `forged` when none of the root keys signed it.
 */
export function decodeRefreshToken(
  roots: RootKeys,
  text: string,
): RefreshToken | 'malformed' | 'forged' {
  const parts = partsOf(text)
  if (parts === null) return 'malformed'
  const { body, given, counter } = parts
  const sessionId = uuidFromBytes(body.subarray(1, counterOffset))
  for (const root of roots.all) {
    const key = keyOf(root, sessionId)
    if (!timingSafeEqual(signature(key, body), given)) continue
    return { sessionId, counter, ...(root === roots.current && { key }) }
  }
  return 'forged'
}

/** Reports whether a text has the form and the checksum of a token. It verifies no signature. */
export const resemblesRefreshToken = (text: string): boolean => partsOf(text) !== null

/** Returns the parts of a text that has the form and the checksum of a token; null for others. */
function partsOf(text: string): { body: Buffer; given: Buffer; counter: number } | null {
  if (text.length > maxLength || !base64url.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < minBytes || bytes[0] !== version) return null
  const signed = bytes.subarray(0, -checksumBytes)
  if (checksum(signed) !== bytes.toString('hex', signed.length)) return null
  const body = signed.subarray(0, -signatureBytes)
  const counter = readLeb128(body.subarray(counterOffset))
  return counter === null ? null : { body, given: signed.subarray(-signatureBytes), counter }
}

/**
 * Returns a key object. With bytes, Node throws and catches an exception of its own, which costs
 * several times the HMAC.
 */
const keyOf = (root: RootKey, sessionId: string): KeyObject =>
  createSecretKey(deriveKey(root, 'refresh-token', sessionId))

const signature = (key: KeyObject | Uint8Array, body: Uint8Array): Buffer =>
  hmacSha256(key, body).subarray(0, signatureBytes)

/** Returns the checksum in hexadecimal. It is no secret. */
const checksum = (bytes: Uint8Array): string => sha256Hex(bytes).slice(0, 2 * checksumBytes)

function leb128(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low + 128 : low)
  } while (rest > 0)
  return bytes
}

/**
 * Returns the number, or null for bytes that contain anything but one number, or one beyond the
 * range of a counter.
 */
function readLeb128(bytes: Uint8Array): number | null {
  let value = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    value += (byte % 128) * 128 ** at
    const isLast = at === bytes.length - 1
    if (isLast !== byte < 128) return null
  }
  return value < 2 ** 31 ? value : null
}

/**
 * The counter of the own token to which every imported one is equivalent: the first of its session.
 */
export const importedCounter = 0

/**
 * The forms of tokens that the other service stored in a row each, the second one until 2022. They
 * contain no data, so they are looked up.
 */
export const isRowToken = (text: string): boolean =>
  /^(?:[a-z0-9]{12}|[A-Za-z0-9_-]{22})$/.test(text)

/** Reports whether a token of the other service has a form that a refresh accepts. */
export const isImportableToken = (text: string): boolean =>
  isRowToken(text) || resemblesRefreshToken(text)

/** The length of a stored form, with and without the id of the root key. */
const hashLength = 64

/**
 * Returns the stored form of an imported token: the id of the root key, `.` and a keyed hash. Such
 * a token is short enough to be guessed from a plain hash. The id shows which root key the token
 * needs.
 */
export const hashImportedToken = (root: RootKey, text: string): string =>
  `${keyIdOf(root)}.${unmarkedHash(root, text)}`.slice(0, hashLength)

/** Returns the stored form before 0.1.0, without the id of the root key. */
const unmarkedHash = (root: RootKey, text: string): string =>
  hmacSha256Hex(deriveKey(root, 'imported-token'), text)

/** Returns the forms of an imported token under former root keys: two for each. */
export const formerTokenHashes = ({ current, all }: RootKeys, text: string): string[] =>
  importedTokenHashes({ current, all: all.filter((root) => root !== current) }, text)

/** Returns the forms under which the token may be stored: two for each root key. */
export const importedTokenHashes = (roots: RootKeys, text: string): string[] =>
  roots.all.flatMap((root) => [hashImportedToken(root, text), unmarkedHash(root, text)])
