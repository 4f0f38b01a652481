import { createCipheriv, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import type { HashScheme } from './scheme.ts'

const form =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=(\d)(?:,ss=([A-Za-z0-9+/]+={0,2}))?(?:,sk=([A-Za-z0-9+/]+={0,2}))?\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})$/

/** The maximum memory. scrypt uses 128 × N × r bytes. */
const maxMemoryBytes = 256 * 2 ** 20
/** The memory times the parallelism above which a verification is costly. */
const costlyBytes = 128 * 2 ** 20
const keyBytes = 32

interface Parameters {
  options: ScryptOptions
  salt: Buffer
  signerKey: Buffer
  expected: Buffer
}

/**
 * The scrypt of Firebase. The key derived from the password encrypts the project's signer key, and
 * the ciphertext is the stored hash.
 */
export const firebaseScrypt: HashScheme = {
  accepts: (passwordHash) => parse(passwordHash) !== null,
  kindOf: (passwordHash) => `scrypt ${form.exec(passwordHash)?.slice(1, 4).join()}`,
  isCostly: (passwordHash) => {
    const { N = 0, r = 0, p = 0 } = parse(passwordHash)?.options ?? {}
    return 128 * N * r * p > costlyBytes
  },
  verify: async (compute, passwordHash, password) => {
    const parameters = parse(passwordHash)
    if (!parameters) return false
    const { options, salt, signerKey, expected } = parameters
    const { value: key } = await compute(
      ...(['deriveScryptKey', password, salt, keyBytes, options] as const),
    )
    const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
    const found = Buffer.concat([cipher.update(signerKey), cipher.final()])
    return found.length === expected.length && timingSafeEqual(found, expected)
  },
}

/** Returns null for another form, or a cost above the maximum. */
function parse(passwordHash: string): Parameters | null {
  const [, n, r, p, separator = '', signer = '', salt = '', expected = ''] =
    form.exec(passwordHash) ?? []
  const options = { N: 2 ** Number(n), r: Number(r), p: Number(p), maxmem: 2 * maxMemoryBytes }
  const isBounded =
    options.N > 1 && options.r > 0 && options.p > 0 && 128 * options.N * options.r <= maxMemoryBytes
  if (!isBounded) return null
  return {
    options,
    salt: Buffer.concat([decode(salt), decode(separator)]),
    signerKey: decode(signer),
    expected: decode(expected),
  }
}

const decode = (text: string): Buffer => Buffer.from(text, 'base64')
