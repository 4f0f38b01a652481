import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from './derived-keys.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const keyIdLength = 12

/**
 * Returns the id of a root key: 12 hexadecimal digits, derived from it and not secret. Sealed
 * values contain it, and `latchkey keys list` prints it.
 */
export const keyIdOf = (root: RootKey): string =>
  deriveKey(root, 'key-id').toString('hex').slice(0, keyIdLength)

/**
 * Encrypts text or bytes for storage: `v2.`, the id of the root key, `.` and base64url of nonce,
 * ciphertext and tag. The context (such as the id of the row) is authenticated, so that a box
 * cannot be moved to another row.
 */
export function seal({ current }: RootKeys, context: string, content: string | Uint8Array): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, deriveKey(current, 'sealed-box', context), nonce)
  const sealed = Buffer.concat([
    nonce,
    typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return `v2.${keyIdOf(current)}.${sealed.toString('base64url')}`
}

/** Decrypts text, as {@link unsealBytes} does. */
export const unseal = (roots: RootKeys, context: string, box: string): string =>
  unsealBytes(roots, context, box).toString('utf8')

/**
 * Decrypts a value of {@link seal} with any of the root keys.
 *
 * @throws Error if its key is not configured (the message names key and remedy), the value was
 *   altered, or it belongs to another row.
 */
export function unsealBytes(roots: RootKeys, context: string, box: string): Buffer {
  const [, keyId, data] = /^v2\.([0-9a-f]+)\.([\w-]*)$/.exec(box) ?? []
  if (keyId === undefined || data === undefined) return unsealUnmarked(roots, context, box)
  const root = roots.all.find((one) => keyIdOf(one) === keyId)
  if (root === undefined) throw missingRootKey(keyId)
  const content = tryOpen(deriveKey(root, 'sealed-box', context), Buffer.from(data, 'base64url'))
  if (content === null)
    throw new Error(`a value sealed with root key ${keyId} was altered or moved`)
  return content
}

/**
 * Seals the same content with the current root key.
 *
 * @returns null if the current key sealed it already.
 * @throws as {@link unsealBytes}.
 */
export const reseal = (roots: RootKeys, context: string, box: string): string | null =>
  isCurrent(roots, box) ? null : seal(roots, context, unsealBytes(roots, context, box))

const isCurrent = ({ current }: RootKeys, box: string): boolean =>
  box.startsWith(`v2.${keyIdOf(current)}.`)

/** The root key of a stored value is not configured. The message contains the remedy. */
class RootKeyMissingError extends Error {
  override readonly name = 'RootKeyMissingError'
}

const missingRootKey = (keyId: string): Error =>
  new RootKeyMissingError(
    `a stored value is sealed with root key ${keyId}, which is not configured: add that key to AUTH_ENCRYPTION_KEY ` +
      '(`encryptionKey`) after the current one, then run `latchkey keys reseal`',
  )

/** Opens `v1.` and base64url, the format without the id of the key: each root key is tried. */
function unsealUnmarked(roots: RootKeys, context: string, box: string): Buffer {
  const sealed = Buffer.from(box.replace(/^v1\./, ''), 'base64url')
  for (const root of roots.all) {
    const content = tryOpen(deriveKey(root, 'sealed-box', context), sealed)
    if (content !== null) return content
  }
  throw new RootKeyMissingError(
    'no configured root key opens a stored value: add the key that sealed it to AUTH_ENCRYPTION_KEY (`encryptionKey`)',
  )
}

function tryOpen(key: Buffer, sealed: Buffer): Buffer | null {
  if (sealed.length < nonceBytes + tagBytes) return null
  const nonce = sealed.subarray(0, nonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const ciphertext = sealed.subarray(nonceBytes, -tagBytes)
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    return null
  }
}
