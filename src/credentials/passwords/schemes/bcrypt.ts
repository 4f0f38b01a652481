import type { HashScheme } from './scheme.ts'

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** The accepted costs. Each step doubles the time; the maximum takes seconds. */
const costs = { min: 4, max: 15, costly: 14 }

const costOf = (passwordHash: string): number => Number(form.exec(passwordHash)?.[1])

const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * The positions of the last characters of salt and digest, and the significant ones of their six
 * bits.
 */
const endings = [
  { at: 28, bits: 0b110000 },
  { at: 59, bits: 0b111100 },
]

/** bcrypt as `$2a$`, `$2b$` or `$2y$`. It uses the first 72 bytes of a password only. */
export const bcrypt: HashScheme = {
  accepts: (passwordHash) => {
    const cost = costOf(passwordHash)
    return cost >= costs.min && cost <= costs.max
  },
  // Versions differ in errors of implementations, not in duration.
  kindOf: (passwordHash) => `bcrypt ${passwordHash.split('$')[2]}`,
  isCostly: (passwordHash) => costOf(passwordHash) >= costs.costly,
  verify: async (compute, passwordHash, password) =>
    (await compute('verifyBcrypt', password, canonical(passwordHash))).value,
}

/**
 * Clears the insignificant bits of a hash. Some services left them set. The library rejects such a
 * hash at once, so its owner could not sign in, and the short time would reveal the account.
 */
function canonical(passwordHash: string): string {
  const characters = [...passwordHash]
  for (const { at, bits } of endings) {
    characters[at] = alphabet.charAt(alphabet.indexOf(characters[at] ?? '') & bits)
  }
  return characters.join('')
}
