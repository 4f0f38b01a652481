import { createHmac } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from './derived-keys.ts'
import { isSameSecret } from './digest.ts'

/** What a cursor belongs to: the name of a list, and what was asked of it. */
export type CursorScope = readonly (string | null)[]

/** Where the next page of a list begins, as text that nobody else can make, or use for another list. */
export function signCursor(roots: RootKeys, scope: CursorScope, position: CursorScope): string {
  const place = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${place}.${proofOf(roots.current, scope, place)}`
}

/** An address of 255 bytes and an id, written as JSON and then in base64, take a third of it. */
const maxLength = 2_048

/** What {@link signCursor} was given, under any of the roots; null for what it did not make for this. */
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
