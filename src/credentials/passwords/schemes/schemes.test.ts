import { hash as bcryptHash } from '@node-rs/bcrypt'
import { hashPassword } from 'better-auth/crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { findScheme } from '../hash-schemes.ts'
import { openHashingThreads } from '../hashing-threads.ts'
import { bcrypt } from './bcrypt.ts'
import { betterAuthScrypt } from './better-auth-scrypt.ts'
import { djangoPbkdf2 } from './django-pbkdf2.ts'
import { firebaseScrypt } from './firebase-scrypt.ts'

/** The example that Firebase publishes for its scrypt. */
const firebaseExample =
  '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,' +
  'sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==' +
  '$42xEC+ixf3L2lw==' +
  '$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

const threads = await openHashingThreads({ count: 1, maxWaiting: 10, maxWaitMs: 10_000 })
const { compute } = threads
afterAll(() => threads.close())

describe('Firebase scrypt', () => {
  it('verifies the published example, and no other password', async () => {
    expect(await firebaseScrypt.verify(compute, firebaseExample, 'user1password')).toBe(true)
    expect(await firebaseScrypt.verify(compute, firebaseExample, 'user1passworD')).toBe(false)
  })

  it.each([
    ['too much memory', firebaseExample.replace('n=14', 'n=19')],
    ['no work at all', firebaseExample.replace('n=14', 'n=0')],
    ['no blocks', firebaseExample.replace('r=8', 'r=0')],
    ['another version', firebaseExample.replace('v=1', 'v=2')],
    ['no salt', firebaseExample.replace('$42xEC+ixf3L2lw==', '$')],
  ])('does not accept %s', (_case, hash) => {
    expect(firebaseScrypt.accepts(hash)).toBe(false)
    expect(findScheme(hash)).toBeUndefined()
  })
})

describe('the scrypt of Better Auth', () => {
  it('verifies a hash of that library, and no other password', async () => {
    const hash = await hashPassword('Café sesame')

    expect(findScheme(hash)).toBe(betterAuthScrypt)
    expect(await betterAuthScrypt.verify(compute, hash, 'Café sesame')).toBe(true)
    expect(await betterAuthScrypt.verify(compute, hash, 'Cafe\u0301 sesame')).toBe(true)
    expect(await betterAuthScrypt.verify(compute, hash, 'café sesame')).toBe(false)
  })

  it.each([
    ['a short salt', `${'a'.repeat(30)}:${'b'.repeat(128)}`],
    ['a short key', `${'a'.repeat(32)}:${'b'.repeat(126)}`],
    ['capital letters', `${'A'.repeat(32)}:${'b'.repeat(128)}`],
  ])('does not accept %s', (_case, hash) => {
    expect(findScheme(hash)).toBeUndefined()
  })
})

describe('the PBKDF2 of Django', () => {
  /** The first is the example of hashcat's mode 10000, the second is from Python's hashlib. */
  const examples = [
    ['pbkdf2_sha256$20000$H0dPx8NeajVu$GiC4k5kqbbR9qWBlsRgDywNqC2vd9kqfk7zdorEnNas=', 'hashcat'],
    ['pbkdf2_sha1$1000$seasalt$ljleU4wBmTtz/MoG5YTwxpM0d7I=', 'lètmein'],
  ] as const

  it.each(examples)('verifies %s, and no other password', async (hash, password) => {
    expect(findScheme(hash)).toBe(djangoPbkdf2)
    expect(await djangoPbkdf2.verify(compute, hash, password)).toBe(true)
    expect(await djangoPbkdf2.verify(compute, hash, `${password} `)).toBe(false)
  })

  const [[example]] = examples
  it.each([
    ['too many iterations', example.replace('20000', '5000001')],
    ['no iterations', example.replace('20000', '0')],
    ['another digest', example.replace('sha256', 'md5')],
    ['the key of another digest', example.replace('sha256', 'sha1')],
    ['no salt', example.replace('H0dPx8NeajVu', '')],
    ['a password that nobody has', '!Kq3jb2dHnYx0'],
  ])('does not accept %s', (_case, hash) => {
    expect(findScheme(hash)).toBeUndefined()
  })
})

describe('bcrypt', () => {
  it('verifies a hash whose salt and digest end in insignificant bits', async () => {
    const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
    const hash = await bcryptHash('correct horse', 4)
    const withBits = (at: number, bits: number) =>
      hash.slice(0, at) + alphabet[alphabet.indexOf(hash[at] ?? '') | bits] + hash.slice(at + 1)

    for (const spelling of [withBits(28, 0b1111), withBits(28, 1), withBits(59, 0b11)]) {
      expect(spelling).not.toBe(hash)
      expect(bcrypt.accepts(spelling)).toBe(true)
      expect(await bcrypt.verify(compute, spelling, 'correct horse')).toBe(true)
      expect(await bcrypt.verify(compute, spelling, 'correct horsE')).toBe(false)
    }
  })

  it.each(['2a', '2b', '2y'])('verifies $%s$', async (version) => {
    const hash = (await bcryptHash('correct horse', 4)).replace(/^\$2.\$/, `$${version}$`)

    expect(bcrypt.accepts(hash)).toBe(true)
    expect(await bcrypt.verify(compute, hash, 'correct horse')).toBe(true)
    expect(await bcrypt.verify(compute, hash, 'correct horsE')).toBe(false)
  })

  it.each(['03', '16', '31', '4'])('does not accept the cost %s', (cost) => {
    expect(bcrypt.accepts(`$2b$${cost}$${'a'.repeat(53)}`)).toBe(false)
  })
})
