import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { decodeRefreshToken, encodeRefreshToken } from './refresh-token.ts'

const roots = (...all: [string, ...string[]]): RootKeys => ({ current: all[0], all })
const ours = roots('our root')

const sessionId = '6f1f7c1e-0b57-4a39-9c39-0d3f1f7c1e0b'
const token = encodeRefreshToken(ours, { sessionId, counter: 5 })

/** Returns the token with changed bytes, and by default with a corrected checksum. */
function tampered(change: (signed: Buffer) => Buffer, fixesChecksum = true): string {
  const bytes = Buffer.from(token, 'base64url')
  const signed = change(Buffer.from(bytes.subarray(0, -4)))
  const checksum = createHash('sha256').update(signed).digest().subarray(0, 4)
  return Buffer.concat([signed, fixesChecksum ? checksum : bytes.subarray(-4)]).toString(
    'base64url',
  )
}

const withByte = (index: number, value: number) => (bytes: Buffer) => {
  bytes.writeUInt8(value, index)
  return bytes
}

/** Returns a well-formed token whose counter has these bytes. Its signature does not match. */
const withCounter = (...counter: number[]) =>
  tampered((signed) =>
    Buffer.concat([signed.subarray(0, 17), Buffer.from(counter), signed.subarray(-16)]),
  )

describe('a refresh token', () => {
  it.each([0, 1, 127, 128, 255, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 31 - 1])(
    'contains the counter %i',
    (counter) => {
      const text = encodeRefreshToken(ours, { sessionId, counter })

      expect(decodeRefreshToken(ours, text)).toMatchObject({ sessionId, counter })
    },
  )

  it('has the wire form: version, session, counter, 16 bytes, 4 bytes', () => {
    const bytes = Buffer.from(token, 'base64url')

    expect(token).toMatch(/^[\w-]+$/)
    expect(bytes).toHaveLength(38)
    expect([bytes[0], bytes.subarray(1, 17).toString('hex'), bytes[17]]).toEqual([
      0,
      sessionId.replaceAll('-', ''),
      5,
    ])
  })

  it('is the same each time, so that a repeated request gets the same child', () => {
    expect(encodeRefreshToken(ours, { sessionId, counter: 5 })).toBe(token)
  })

  it('is accepted under any configured root key, and issued under the first', () => {
    const rotated = roots('new root', 'our root')
    const fresh = encodeRefreshToken(rotated, { sessionId, counter: 5 })

    expect(decodeRefreshToken(rotated, token)).toEqual({ sessionId, counter: 5 })
    expect(decodeRefreshToken(ours, fresh)).toBe('forged')
    expect(decodeRefreshToken(roots('new root'), token)).toBe('forged')
  })
})

describe('the key in a decoded token', () => {
  it('signs the same tokens as a newly derived one', () => {
    const read = decodeRefreshToken(ours, token)
    if (typeof read === 'string' || !read.key) throw new Error('there is no key')

    expect(encodeRefreshToken(ours, { ...read, counter: 6 })).toBe(
      encodeRefreshToken(ours, { sessionId, counter: 6 }),
    )
  })

  it('is absent for a replaced root key', () => {
    expect(decodeRefreshToken(roots('new root', 'our root'), token)).not.toHaveProperty('key')
  })
})

describe('rejects as forged', () => {
  it.each([
    ['another counter', withByte(17, 4)],
    ['another session', withByte(1, 0)],
    ['another signature', withByte(20, 1)],
  ])('%s with a matching checksum', (_case, change) => {
    expect(decodeRefreshToken(ours, tampered(change))).toBe('forged')
  })

  it('the signature of another session', () => {
    const other = encodeRefreshToken(ours, {
      sessionId: '00000000-0b57-4a39-9c39-0d3f1f7c1e0b',
      counter: 5,
    })
    const signature = Buffer.from(other, 'base64url').subarray(18, 34)

    const moved = tampered((signed) => Buffer.concat([signed.subarray(0, -16), signature]))

    expect(decodeRefreshToken(ours, moved)).toBe('forged')
  })
})

describe('rejects as malformed', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'refresh'],
    ['a truncated token', token.slice(0, 40)],
    ['a typing error', tampered(withByte(17, 4), false)],
    ['another version', tampered(withByte(0, 1))],
    ['the alphabet of base64', `+${token.slice(1)}`],
    ['padding', `${token}=`],
    ['space around it', ` ${token}`],
    ['a line break after it', `${token}\n`],
    ['a counter without an end', withCounter(0x80)],
    ['a counter that goes on after its end', withCounter(0x05, 0x05)],
    ['a counter of 2^31', withCounter(0x80, 0x80, 0x80, 0x80, 0x08)],
    ['a counter of many bytes', withCounter(...Array(40).fill(0xff), 0x01)],
    ['an access token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlIG9mIDMyIGJ5dGVz'],
    ['a token of a megabyte', 'A'.repeat(1_000_000)],
  ])('%s', (_case, text) => {
    expect(decodeRefreshToken(ours, text)).toBe('malformed')
  })
})
