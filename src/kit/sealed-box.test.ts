import { describe, expect, it } from 'vitest'
import type { RootKeys } from './derived-keys.ts'
import { seal, unseal } from './sealed-box.ts'

const roots = (...all: [string, ...string[]]): RootKeys => ({ current: all[0], all })

const text = 'a private key, ключ, 🔑'

describe('a sealed box', () => {
  it('opens to what was put in', () => {
    const box = seal(roots('new root'), 'row 1', text)

    expect(box).toMatch(/^v1\.[\w-]+$/)
    expect(unseal(roots('new root'), 'row 1', box)).toBe(text)
  })

  it('differs each time, and shows nothing of its content', () => {
    const [one, two] = [seal(roots('root'), 'row', text), seal(roots('root'), 'row', text)]

    expect(one).not.toBe(two)
    expect(Buffer.from(one.slice(3), 'base64url').includes('private key')).toBe(false)
  })

  it('opens under an older root as long as that is configured', () => {
    const box = seal(roots('old root'), 'row', text)

    expect(unseal(roots('new root', 'old root'), 'row', box)).toBe(text)
    expect(() => unseal(roots('new root'), 'row', box)).toThrow(/no configured encryption key/)
  })

  it('does not open in another row', () => {
    const box = seal(roots('root'), 'row 1', text)

    expect(() => unseal(roots('root'), 'row 2', box)).toThrow(/no configured encryption key/)
  })

  it('does not open once a single bit is turned, wherever', () => {
    const bytes = Buffer.from(seal(roots('root'), 'row', text).slice(3), 'base64url')

    for (const position of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(position) ^ 1, position)
      const box = `v1.${changed.toString('base64url')}`
      expect(() => unseal(roots('root'), 'row', box)).toThrow(/no configured encryption key/)
    }
  })

  it('says the same of what never was a box', () => {
    for (const box of ['', 'v1.', 'v1.AAAA', 'v1.AAAAAAAAAAAAAAAAAAAA', '{"kty":"RSA"}']) {
      expect(() => unseal(roots('root'), 'row', box)).toThrow(/no configured encryption key/)
    }
  })
})
