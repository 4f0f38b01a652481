import { hash, verify } from '@node-rs/argon2'
import type { Gate } from './gate.ts'

/** Cost of a hash. @see RFC 9106 §3.1 */
export interface Argon2Cost {
  memoryKib: number
  iterations: number
  parallelism: number
}

/** Hashes passwords and checks them, a bounded number at a time. */
export interface PasswordHasher {
  /** A new hash in the PHC string format, argon2id. */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the one behind the hash. Without a hash it does the same work and
   * answers false, so that an unknown user takes as long as a known one.
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
}

/** What the hash to compare with is made of where there is none. It never counts as a match. */
const dummyPassword = 'the password of nobody'

export async function createPasswordHasher(cost: Argon2Cost, gate: Gate): Promise<PasswordHasher> {
  const options = {
    memoryCost: cost.memoryKib,
    timeCost: cost.iterations,
    parallelism: cost.parallelism,
  }
  const dummyHash = await hash(dummyPassword, options)

  return {
    hash: (password) => gate(() => hash(password, options)),
    verify: async (passwordHash, password) => {
      const matches = await gate(() => isBehind(passwordHash ?? dummyHash, password))
      return matches && passwordHash !== null
    },
  }
}

/** The library throws on what is no hash of its kind; such a hash fits no password. */
const isBehind = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password).catch(() => false)
