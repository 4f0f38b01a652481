import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openColumn, parseColumnKeys } from './column-encryption.ts'

const rowId = 'a0000000-0000-4000-8000-000000000001'
const key = randomBytes(32)
const keys = new Map([['now', key]])

/** Encrypts like GoTrue: spec 3 §18.3. */
function encrypt(text: string, changes: Record<string, string> = {}): string {
  const nonce = randomBytes(12)
  const rowKey = Buffer.from(hkdfSync('sha256', key, '', rowId, 32))
  const cipher = createCipheriv('aes-256-gcm', rowKey, nonce)
  const data = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return JSON.stringify({
    key_id: 'now',
    alg: 'aes-gcm-hkdf',
    data: data.toString('base64'),
    nonce: nonce.toString('base64'),
    ...changes,
  })
}

describe('an encrypted column', () => {
  it('is decrypted with the key that it names, of several', () => {
    const several = new Map([['before', randomBytes(32)], ...keys])

    expect(openColumn(several, rowId, encrypt('geheim ✓'))).toBe('geheim ✓')
  })

  it.each([
    ['a hash', '$2a$10$abc'],
    ['text that begins alike', '{not json'],
    ['JSON of another shape', '{"key_id":"now"}'],
    ['nothing', ''],
  ])('is distinguished from %s, which is not encrypted', (_case, value) => {
    expect(openColumn(keys, rowId, value)).toBe(value)
  })

  it.each([
    ['its key is missing', encrypt('x', { key_id: 'later' }), 'with the key "later"'],
    ['it is encrypted otherwise', encrypt('x', { alg: 'rot13' }), 'unsupported algorithm'],
    [
      'it was changed',
      encrypt('x', { data: randomBytes(17).toString('base64') }),
      'does not decrypt',
    ],
    ['it is cut short', encrypt('x', { data: 'AA==' }), 'does not decrypt'],
  ])('has a readable error if %s', (_case, value, expected) => {
    expect(() => openColumn(keys, rowId, value)).toThrow(expected)
  })

  it('of another row is rejected', () => {
    expect(() => openColumn(keys, rowId.replace('1', '2'), encrypt('x'))).toThrow(
      'does not decrypt',
    )
  })
})

describe('keys', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]

  it("are read in the form of GoTrue's setting", () => {
    const text = `a:${one.toString('base64url')}, b:${two.toString('base64url')}`

    expect(parseColumnKeys(text)).toEqual(
      new Map([
        ['a', one],
        ['b', two],
      ]),
    )
    expect(parseColumnKeys('')).toEqual(new Map())
  })

  it.each(['a', 'a:', `:${one.toString('base64url')}`, 'a:AAAA', `a:${one.toString('hex')}`])(
    'are rejected as %s',
    (text) => {
      expect(parseColumnKeys(text)).toBeNull()
    },
  )
})
