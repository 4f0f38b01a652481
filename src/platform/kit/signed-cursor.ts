import { createHmac } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from './derived-keys.ts'
import { isSameSecret } from './digest.ts'

/**
 * The scope of a cursor: the name of a list and its filters. It contains no caller: only operators
 * read these lists, and all of them the same rows.
 */
export type CursorScope = readonly (string | null)[]

/**
 * Returns the position of a list's next page as text that no other party can create or use for
 * another list.
 */
export function signCursor(roots: RootKeys, scope: CursorScope, position: CursorScope): string {
  const place = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${place}.${proofOf(roots.current, scope, place)}`
}

/** An address of 255 bytes and an id, as JSON in base64, use a third of it. */
const maxLength = 2_048

/**
 * Returns the position in a cursor of {@link signCursor}, under any of the roots; null if it was
 * not created for this scope.
 */
export function readCursor(
  roots: RootKeys,
  scope: CursorScope,
  cursor: string,
): CursorScope | null {
  if (cursor.length > maxLength) return null
  const [place = '', proof = '', ...rest] = cursor.split('.')
  const isOurs = roots.all.some((root) => isSameSecret(proof, proofOf(root, scope, place)))
  if (!isOurs || rest.length > 0) return null
  return JSON.parse(Buffer.from(place, 'base64url').toString())
}

const proofOf = (root: RootKey, scope: CursorScope, place: string): string =>
  createHmac('sha256', deriveKey(root, 'list-cursor'))
    .update(JSON.stringify([...scope, place]))
    .digest('base64url')
