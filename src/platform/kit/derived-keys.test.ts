import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { deriveKey, extractRoots } from './derived-keys.ts'

/** HKDF-SHA-256 for up to 32 bytes, implemented from RFC 5869 §2. */
function hkdf(root: string, info: string): string {
  const extracted = createHmac('sha256', Buffer.alloc(32)).update(root).digest()
  return createHmac('sha256', extracted).update(info).update(Buffer.of(1)).digest('hex')
}

it('derives keys by RFC 5869, from names that must not change', () => {
  const key = deriveKey('a root', 'refresh-token', 'a session')

  expect(key.toString('hex')).toBe(hkdf('a root', 'latchkey:refresh-token:a session'))
})

it('derives the same from an extracted root', () => {
  const { current, all } = extractRoots('a root', 'an older root')

  const keys = [current, ...all].map((root) => deriveKey(root, 'refresh-token', 'a session'))

  expect(keys).toEqual(
    ['a root', 'a root', 'an older root'].map((root) =>
      deriveKey(root, 'refresh-token', 'a session'),
    ),
  )
})

it('derives a different key for each root, purpose and subject (rule 7)', () => {
  const keys = [
    deriveKey('root', 'refresh-token', 'x'),
    deriveKey('root', 'one-time-code', 'x'),
    deriveKey('root', 'sealed-box', 'x'),
    deriveKey('root', 'refresh-token', 'y'),
    deriveKey('root', 'refresh-token'),
    deriveKey('toor', 'refresh-token', 'x'),
  ].map((key) => key.toString('hex'))

  expect(new Set(keys).size).toBe(keys.length)
  expect(keys).not.toContain(Buffer.from('root').toString('hex'))
})
