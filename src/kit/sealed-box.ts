import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, type RootKeys } from './derived-keys.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts text for storage: `v1.` and base64url of nonce, ciphertext and tag. The context (such as
 * the id of the row) is authenticated, so that a box cannot be moved to another row.
 */
export function seal(roots: RootKeys, context: string, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, deriveKey(roots.current, 'sealed-box', context), nonce)
  const sealed = Buffer.concat([
    nonce,
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return `v1.${sealed.toString('base64url')}`
}

/** Opens what {@link seal} made, under any of the roots. Throws when none fits. */
export function unseal(roots: RootKeys, context: string, box: string): string {
  const sealed = Buffer.from(box.replace(/^v1\./, ''), 'base64url')
  for (const root of roots.all) {
    const text = tryOpen(deriveKey(root, 'sealed-box', context), sealed)
    if (text !== null) return text
  }
  throw new Error('no configured encryption key opens this value')
}

function tryOpen(key: Buffer, sealed: Buffer): string | null {
  if (sealed.length < nonceBytes + tagBytes) return null
  const nonce = sealed.subarray(0, nonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const ciphertext = sealed.subarray(nonceBytes, -tagBytes)
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
