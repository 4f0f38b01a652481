import { timingSafeEqual } from 'node:crypto'
import type { HashScheme } from './scheme.ts'

/** Salt and key in hexadecimal. The cost is constant and not part of the hash. */
const form = /^([0-9a-f]{32}):([0-9a-f]{128})$/

const cost = { N: 16_384, r: 16, p: 1 }

const keyBytes = 64

/** Twice the 128 × N × r bytes of scrypt, since Node adds an overhead. */
const options = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }

/**
 * The scrypt of Better Auth, `salt:key`. The salt is the text of the hexadecimal digits, not the
 * bytes that they encode. The password is in normal form NFKC.
 */
export const betterAuthScrypt: HashScheme = {
  accepts: (passwordHash) => form.test(passwordHash),
  kindOf: () => `scrypt ${Object.values(cost).join()}`,
  verify: async (compute, passwordHash, password) => {
    const [, salt = '', key = ''] = form.exec(passwordHash) ?? []
    const { value: found } = await compute(
      'deriveScryptKey',
      password.normalize('NFKC'),
      salt,
      keyBytes,
      options,
    )
    return timingSafeEqual(found, Buffer.from(key, 'hex'))
  },
}
