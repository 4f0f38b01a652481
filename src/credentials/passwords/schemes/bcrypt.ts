import type { HashScheme } from './scheme.ts'

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** Each step doubles the time; the upper one takes seconds. */
const costs = { min: 4, max: 15 }

const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Where the last characters of salt and digest are, and which of their six bits count. */
const endings = [
  { at: 28, bits: 0b110000 },
  { at: 59, bits: 0b111100 },
]

/** bcrypt as `$2a$`, `$2b$` or `$2y$`. It looks at the first 72 bytes of a password alone. */
export const bcrypt: HashScheme = {
  accepts: (passwordHash) => {
    const cost = Number(form.exec(passwordHash)?.[1])
    return cost >= costs.min && cost <= costs.max
  },
  // Versions differ in how they were once computed, not in how long that takes.
  kindOf: (passwordHash) => `bcrypt ${passwordHash.split('$')[2]}`,
  verify: async (compute, passwordHash, password) =>
    (await compute('verifyBcrypt', password, canonical(passwordHash))).value,
}

/**
 * The same hash with the bits cleared that mean nothing. Some services left them set; the library refuses
 * such a hash at once, so that nobody could sign in by it, and who has one showed by the time.
 */
function canonical(passwordHash: string): string {
  const characters = [...passwordHash]
  for (const { at, bits } of endings) {
    characters[at] = alphabet.charAt(alphabet.indexOf(characters[at] ?? '') & bits)
  }
  return characters.join('')
}
