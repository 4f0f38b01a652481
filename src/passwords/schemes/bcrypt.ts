import type { HashScheme } from './scheme.ts'

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** Each step doubles the time; the upper one takes seconds. */
const costs = { min: 4, max: 15 }

/** bcrypt as `$2a$`, `$2b$` or `$2y$`. It looks at the first 72 bytes of a password alone. */
export const bcrypt: HashScheme = {
  accepts: (passwordHash) => {
    const cost = Number(form.exec(passwordHash)?.[1])
    return cost >= costs.min && cost <= costs.max
  },
  // Versions differ in how they were once computed, not in how long that takes.
  kindOf: (passwordHash) => `bcrypt ${passwordHash.split('$')[2]}`,
  verify: async (compute, passwordHash, password) =>
    (await compute('verifyBcrypt', password, passwordHash)).value,
}
