import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deriveKey, extractRoots, type RootKeys } from './derived-keys.ts'
import { keyIdOf, reseal, seal, unseal } from './sealed-box.ts'

const roots = (...all: [string, ...string[]]): RootKeys => ({ current: all[0], all })

const text = 'a private key, ключ, 🔑'

/** Seals in the format before boxes contained the id of their key. */
function sealUnmarked(root: string, context: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(root, 'sealed-box', context), nonce)
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `v1.${Buffer.concat(sealed).toString('base64url')}`
}

describe('a sealed box', () => {
  it('opens to its content', () => {
    const box = seal(roots('new root'), 'row 1', text)

    expect(box).toMatch(/^v2\.[0-9a-f]{12}\.[\w-]+$/)
    expect(unseal(roots('new root'), 'row 1', box)).toBe(text)
  })

  it('differs each time, and does not contain its text', () => {
    const [one, two] = [seal(roots('root'), 'row', text), seal(roots('root'), 'row', text)]

    expect(one).not.toBe(two)
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('private key')).toBe(false)
  })

  it('opens under an older root while that is configured', () => {
    const box = seal(roots('old root'), 'row', text)

    expect(unseal(roots('new root', 'old root'), 'row', box)).toBe(text)
    expect(() => unseal(roots('new root'), 'row', box)).toThrow(/which is not configured/)
  })

  it('S20: contains the id of its root key, and its error names the remedy if the key is missing', () => {
    const box = seal(roots('old root'), 'row', text)
    const keyId = keyIdOf('old root')

    expect(box.startsWith(`v2.${keyId}.`)).toBe(true)
    expect(keyIdOf(extractRoots('old root').current)).toBe(keyId)
    expect(() => unseal(roots('new root'), 'row', box)).toThrow(
      new RegExp(`root key ${keyId}, .*AUTH_ENCRYPTION_KEY.*latchkey keys reseal`),
    )
  })

  it('S20: is sealed again with the current root key, once', () => {
    const both = roots('new root', 'old root')
    const resealed = reseal(both, 'row', seal(roots('old root'), 'row', text))

    expect(unseal(roots('new root'), 'row', String(resealed))).toBe(text)
    expect(reseal(both, 'row', String(resealed))).toBeNull()
  })

  it('S20: opens, and is sealed again, in the format without the id of a key', () => {
    const box = sealUnmarked('old root', 'row')
    const both = roots('new root', 'old root')

    expect(unseal(both, 'row', box)).toBe(text)
    expect(unseal(roots('new root'), 'row', String(reseal(both, 'row', box)))).toBe(text)
    expect(reseal(roots('old root'), 'row', box)).toMatch(/^v2\./)
    expect(() => unseal(roots('new root'), 'row', box)).toThrow(/no configured root key/)
  })

  it('does not open in another row', () => {
    const box = seal(roots('root'), 'row 1', text)

    expect(() => unseal(roots('root'), 'row 2', box)).toThrow(/altered or moved/)
  })

  it('does not open if any bit is flipped', () => {
    const [version, keyId, data = ''] = seal(roots('root'), 'row', text).split('.')
    const bytes = Buffer.from(data, 'base64url')

    for (const position of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(position) ^ 1, position)
      const box = [version, keyId, changed.toString('base64url')].join('.')
      expect(() => unseal(roots('root'), 'row', box)).toThrow(/altered or moved/)
    }
  })

  it('has the same error for a value that is not a box', () => {
    const never = [
      '',
      'v1.',
      'v1.AAAA',
      'v1.AAAAAAAAAAAAAAAAAAAA',
      '{"kty":"RSA"}',
      'v2.',
      'v2.x.y',
    ]
    for (const box of never) {
      expect(() => unseal(roots('root'), 'row', box)).toThrow(/no configured root key/)
    }
  })
})
