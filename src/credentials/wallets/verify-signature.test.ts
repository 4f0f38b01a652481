import { generateKeyPairSync, sign } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeWallet, walletMessage } from '../../../test/support/wallets.ts'
import { isSignedByEthereum } from './ethereum-signature.ts'
import { readWalletMessage } from './read-wallet-message.ts'
import { isSignedBySolana } from './solana-signature.ts'
import { isSignedByAddress, readSignature } from './verify-signature.ts'

const bytes = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex')

describe.each(['solana', 'ethereum'] as const)('a signature of %s', (chain) => {
  const wallet = makeWallet(chain)
  const text = walletMessage(wallet, new Date('2026-03-01T12:00:00Z'), { statement: 'Grüße 🦊' })
  const message = readWalletMessage(chain, text)

  it('is over the message, by the key of the address', async () => {
    const signature = readSignature(chain, wallet.sign(text))

    expect(await isSignedByAddress(message, signature)).toBe(true)
    expect(await isSignedByAddress({ ...message, text: `${text} ` }, signature)).toBe(false)
    const other = makeWallet(chain)
    expect(await isSignedByAddress({ ...message, address: other.address }, signature)).toBe(false)
    expect(await isSignedByAddress(message, other.signBytes(text))).toBe(false)
  })

  it('is rejected if it is another one, and invalid input does not throw', async () => {
    const length = chain === 'solana' ? 64 : 65
    const some = fc.uint8Array({ minLength: length, maxLength: length })
    await fc.assert(
      fc.asyncProperty(some, async (signature) => {
        expect(await isSignedByAddress(message, signature)).toBe(false)
      }),
      { numRuns: 200 },
    )
    for (const value of [0, 255]) {
      expect(await isSignedByAddress(message, new Uint8Array(length).fill(value))).toBe(false)
    }
  })

  it('is rejected with any bit inverted', async () => {
    const right = wallet.signBytes(text)
    const bit = fc.nat({ max: 64 * 8 - 1 })
    await fc.assert(
      fc.asyncProperty(bit, async (at) => {
        const signature = Uint8Array.from(right)
        signature[at >> 3] = (signature[at >> 3] ?? 0) ^ (1 << (at & 7))
        expect(await isSignedByAddress(message, signature)).toBe(false)
      }),
      { numRuns: 64 },
    )
  })
})

describe('a signature of Ethereum', () => {
  // From the documentation of web3.js, `web3.eth.accounts.sign`.
  const known = {
    text: 'Some data',
    address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
    r: 'b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd',
    s: '6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029',
  }
  const isKnown = (v: number, { address = known.address, s = known.s } = {}) =>
    isSignedByEthereum(
      { text: known.text, address },
      bytes(`${known.r}${s}${v.toString(16).padStart(2, '0')}`),
    )

  it.each([
    [28, true],
    [1, true],
    [27, false],
    [0, false],
    [2, false],
    [3, false],
    [4, false],
    [26, false],
    [29, false],
    [31, false],
    [37, false],
    [38, false],
    [255, false],
  ])('is identified by v of %i: %s', (v, expected) => {
    expect(isKnown(v)).toBe(expected)
  })

  it.each([
    known.address.toLowerCase(),
    `0x${known.address.slice(2).toUpperCase()}`,
    known.address,
  ])('is accepted with the address in any letter case: %s', (address) => {
    expect(isKnown(28, { address })).toBe(true)
  })

  it('has a twin with the other s, which is by the same key', () => {
    const order = secp256k1.Point.Fn.ORDER
    const twin = (order - BigInt(`0x${known.s}`)).toString(16).padStart(64, '0')

    expect(isKnown(27, { s: twin })).toBe(true)
    expect(isKnown(28, { s: twin })).toBe(false)
  })

  it('covers the bytes of the message, not its characters', () => {
    const wallet = makeWallet('ethereum')

    const isOver = (text: string) => isSignedByEthereum({ ...wallet, text }, wallet.signBytes(text))

    expect(['é'.repeat(9), '🦊'.repeat(25), ''].map(isOver)).toEqual([true, true, true])
  })

  it.each([
    '',
    '0x',
    'a'.repeat(129),
    `0x${'a'.repeat(131)}`,
    'g'.repeat(130),
    `0X${'a'.repeat(130)}`,
  ])('is rejected in another form: %s', (text) => {
    expect(() => readSignature('ethereum', text)).toThrow(
      'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string',
    )
  })

  it.each(['aA'.repeat(65), `0x${'aA'.repeat(65)}`])('is read from %s', (text) => {
    expect(readSignature('ethereum', text)).toEqual(Buffer.alloc(65, 0xaa))
  })
})

describe('a signature of Solana', () => {
  // RFC 8032 §7.1, test 2: over the one byte 0x72.
  const known = {
    text: 'r',
    address: base58.encode(
      bytes('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'),
    ),
    domain: 'app.example.test',
  }
  const signature = bytes(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )

  it('covers the message as it is', () => {
    expect(isSignedBySolana(known, signature)).toBe(true)
    expect(isSignedBySolana({ ...known, text: 's' }, signature)).toBe(false)
  })

  it('has no twin: S has to be below the order of the group', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const littleEndian = (some: Uint8Array) =>
      BigInt(`0x${Buffer.from(some).reverse().toString('hex')}`)
    const twin = (littleEndian(signature.subarray(32)) + order).toString(16).padStart(64, '0')

    const twisted = Buffer.concat([signature.subarray(0, 32), bytes(twin).reverse()])

    expect(isSignedBySolana(known, twisted)).toBe(false)
  })

  describe('in the off-chain envelope', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    const message = {
      text: 'Ünterschrift',
      address: base58.encode(raw),
      domain: 'app.example.test',
    }
    const enveloped = (domain: string, { text } = message) => {
      const body = Buffer.from(text)
      return Buffer.concat([
        bytes('ff736f6c616e61206f6666636861696e00'),
        Buffer.from(domain.padEnd(32, '\0').slice(0, 32)),
        bytes('0001'),
        raw,
        Buffer.of(body.length & 0xff, body.length >> 8),
        body,
      ])
    }

    it.each([
      'app.example.test',
      'localhost:3000',
      'a.domain.of.thirty-two.bytes.tes',
      'a.domain.of.more.than.thirty-two.bytes.example.test',
    ])('is for the domain %s', (domain) => {
      const signed = sign(null, enveloped(domain), privateKey)

      expect(isSignedBySolana({ ...message, domain }, signed)).toBe(true)
      expect(isSignedBySolana({ ...message, domain: `x${domain}` }, signed)).toBe(false)
    })

    it('covers a message of any accepted length', () => {
      const long = { ...message, text: 'x'.repeat(20_480) }

      expect(isSignedBySolana(long, sign(null, enveloped(message.domain, long), privateKey))).toBe(
        true,
      )
    })
  })

  it.each([
    ['31 bytes', base58.encode(new Uint8Array(31).fill(200))],
    ['33 bytes', base58.encode(new Uint8Array(33).fill(3))],
    ['other letters', '0OIl'.repeat(9)],
    ['ones alone, which are zeros', '1'.repeat(44)],
    ['no point of the curve', base58.encode(new Uint8Array(32).fill(255))],
  ])('is rejected for the address %s', (_, address) => {
    expect(address).toMatch(/^[A-Za-z0-9]{32,45}$/)
    expect(isSignedBySolana({ ...known, address }, signature)).toBe(false)
  })

  // OpenSSL rejects them since 3.5; Node 22 has an older one.
  it.each(['1'.repeat(32), base58.encode(Buffer.concat([Buffer.of(1), Buffer.alloc(31)]))])(
    'is rejected for an address that any client can sign for: %s',
    (address) => {
      const forged = Buffer.concat([Buffer.of(1), Buffer.alloc(63)])
      const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`)
      const isForgeable = (text: string) =>
        ed25519.verify(forged, Buffer.from(text), base58.decode(address))
      const isAccepted = (text: string) => isSignedBySolana({ ...known, text, address }, forged)

      expect(texts.filter(isForgeable)).not.toEqual([])
      expect(texts.filter(isAccepted)).toEqual([])
    },
  )

  it('is rejected for an invented address, which does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        expect(isSignedBySolana({ ...known, address: base58.encode(key) }, signature)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  const standard = Buffer.alloc(64, 0xfb).toString('base64')
  it.each([standard, standard.slice(0, 86), Buffer.alloc(64, 0xfb).toString('base64url')])(
    'is read from %s',
    (text) => {
      expect(readSignature('solana', text)).toEqual(Buffer.alloc(64, 0xfb))
    },
  )

  it.each([
    ['', 'signature must be 64 bytes encoded as base64 with or without padding'],
    ['A'.repeat(85), 'signature must be 64 bytes encoded as base64 with or without padding'],
    [`${'A'.repeat(86)}=`, 'signature must be 64 bytes encoded as base64 with or without padding'],
    ['A'.repeat(88), 'signature does not contain valid base64 characters'],
    [`${'A'.repeat(85)}*`, 'signature does not contain valid base64 characters'],
    [`${'A'.repeat(84)}====`, 'signature does not contain valid base64 characters'],
    [`${'A'.repeat(85)}\n`, 'signature does not contain valid base64 characters'],
  ])('is rejected in another form: %j', (text, reason) => {
    expect(() => readSignature('solana', text)).toThrow(reason)
  })
})
