import { timingSafeEqual } from 'node:crypto'
import type { HashScheme } from './scheme.ts'

/** Salt and key, in hexadecimal. Its cost is in no hash: it is the same for all. */
const form = /^([0-9a-f]{32}):([0-9a-f]{128})$/

const cost = { N: 16_384, r: 16, p: 1 }

const keyBytes = 64

/** Twice the 128 × N × r bytes that scrypt takes, as Node counts some more. */
const options = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }

/**
 * The scrypt of Better Auth, `salt:key`. The salt is the text of its hexadecimal digits, not the bytes that
 * they stand for, and the password is in the normal form NFKC.
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
