import { createDecipheriv, hkdfSync } from 'node:crypto'
import { SourceError } from './source.sql.ts'

/** The keys of GoTrue's encrypted columns, by their ids. */
export type ColumnKeys = ReadonlyMap<string, Uint8Array>

const keyBytes = 32
const tagBytes = 16

/**
 * Parses keys in the form of GoTrue's setting: `id:key,id:key`, each key 32 bytes in base64url.
 *
 * @returns null if the text has another form.
 */
export function parseColumnKeys(text: string): ColumnKeys | null {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  const keys = pairs.map((pair) => {
    const [, id = '', key = ''] = /^\s*([^:]+):([\w-]+)=*\s*$/.exec(pair) ?? []
    return [id, Buffer.from(key, 'base64url')] as const
  })
  return keys.every(([, key]) => key.length === keyBytes) ? new Map(keys) : null
}

interface EncryptedColumn {
  key_id: string
  alg: string
  data: string
  nonce: string
}

/**
 * Decrypts a column that may be encrypted (AES-256-GCM, with a key derived from the row's id).
 *
 * @param rowId the id of the row, as text.
 * @throws SourceError if the key is missing or wrong. The message does not contain the value.
 */
export function openColumn(keys: ColumnKeys, rowId: string, value: string): string {
  const column = parseColumn(value)
  if (!column) return value
  const key = keys.get(column.key_id)
  if (!key) {
    throw new SourceError(
      `Columns of the source are encrypted with the key "${column.key_id}", which is missing`,
    )
  }
  if (column.alg !== 'aes-gcm-hkdf') {
    throw new SourceError(`A column of ${rowId} is encrypted with an unsupported algorithm`)
  }
  try {
    return decrypt(key, rowId, column)
  } catch {
    throw new SourceError(`The key "${column.key_id}" does not decrypt a column of ${rowId}`)
  }
}

/** Returns null for a value in another form, which is not encrypted. */
function parseColumn(value: string): EncryptedColumn | null {
  if (!value.startsWith('{')) return null
  try {
    const { key_id, alg, data, nonce } = JSON.parse(value)
    const isComplete = [key_id, alg, data, nonce].every((part) => typeof part === 'string')
    return isComplete ? { key_id, alg, data, nonce } : null
  } catch {
    return null
  }
}

function decrypt(key: Uint8Array, rowId: string, { data, nonce }: EncryptedColumn): string {
  const rowKey = new Uint8Array(hkdfSync('sha256', key, '', rowId, keyBytes))
  const decipher = createDecipheriv('aes-256-gcm', rowKey, Buffer.from(nonce, 'base64'), {
    authTagLength: tagBytes,
  })
  const sealed = Buffer.from(data, 'base64')
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const text = decipher.update(sealed.subarray(0, -tagBytes))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
