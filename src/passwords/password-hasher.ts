import type { Turn } from './gate.ts'
import { findScheme } from './hash-schemes.ts'
import type { Compute, HashingThreads } from './hashing-threads.ts'

/** Cost of a hash. @see RFC 9106 §3.1 */
export interface Argon2Cost {
  memoryKib: number
  iterations: number
  parallelism: number
}

/**
 * Hashes passwords and checks them, a bounded number at a time. Each says whose turn it takes; what does
 * not say so shares one turn with all that does not.
 */
export interface PasswordHasher {
  /** A new hash in the PHC string format, argon2id. */
  hash(password: string, turn?: Turn): Promise<string>
  /**
   * Whether the password is the one behind the hash. Without a hash it does the same work and
   * answers false, so that an unknown user takes as long as a known one.
   */
  verify(passwordHash: string | null, password: string, turn?: Turn): Promise<boolean>
  /**
   * A new hash for a password that was just proved right, where the stored one is not what would be
   * made today: of another service, or of another cost. Null where it is.
   */
  renew(passwordHash: string, password: string, turn?: Turn): Promise<string | null>
}

/** What the hash to compare with is made of where there is none. It never counts as a match. */
const dummyPassword = 'the password of nobody'

export async function createPasswordHasher(
  cost: Argon2Cost,
  { compute, computeIn }: Pick<HashingThreads, 'compute' | 'computeIn'>,
): Promise<PasswordHasher> {
  const options = {
    memoryCost: cost.memoryKib,
    timeCost: cost.iterations,
    parallelism: cost.parallelism,
  }
  const computing = (turn?: Turn) => (turn ? computeIn(turn) : compute)
  const make = (password: string, turn?: Turn) => computing(turn)('makeArgon2', password, options)
  const dummyHash = await make(dummyPassword)
  const isUpToDate = (passwordHash: string) =>
    parametersOf(passwordHash) === parametersOf(dummyHash)

  return {
    hash: make,
    verify: async (passwordHash, password, turn) => {
      const matches = await isBehind(computing(turn), passwordHash ?? dummyHash, password)
      return matches && passwordHash !== null
    },
    renew: async (passwordHash, password, turn) =>
      isUpToDate(passwordHash) ? null : make(password, turn),
  }
}

/** `$argon2id$v=19$m=19456,t=2,p=1`: what a hash in the PHC string format says before its salt. */
const parametersOf = (passwordHash: string): string => passwordHash.split('$').slice(0, 4).join('$')

/** A hash that cannot be checked fits no password. */
const isBehind = async (
  compute: Compute,
  passwordHash: string,
  password: string,
): Promise<boolean> =>
  (await findScheme(passwordHash)?.verify(compute, passwordHash, password)) ?? false
