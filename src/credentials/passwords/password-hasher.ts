import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { createKeyedMutex } from '../../platform/kit/keyed-mutex.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { createCheckTimes } from './check-times.ts'
import type { Compute } from './compute.ts'
import type { Turn } from './gate.ts'
import { findScheme } from './hash-schemes.ts'
import type { HashingThreads } from './hashing-threads.ts'

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
   * Whether the password is the one behind the hash. Without a hash, or with one that cannot be checked, it
   * does the same work and answers false, so that an unknown user takes as long as a known one.
   *
   * Where hashes of several kinds are stored, of other services or of another cost, a wrong password is
   * answered as late as for the slowest of them.
   */
  verify(passwordHash: string | null, password: string, turn?: Turn): Promise<boolean>
  /**
   * Runs a check of a password once those for the same subject are done, where hashes of several kinds are
   * stored: many at once for one address would show by their work how much each is.
   */
  inLine<T>(subject: string, check: () => Promise<T>): Promise<T>
  /**
   * Finds out how long it takes to check hashes that are stored, where it is not known for their kind.
   * Passwords that are wrong are answered once it is. Fails only if `findHashes` does.
   */
  learn(findHashes: () => Promise<readonly string[]>): Promise<void>
  /** What the hashes begin with that are made. */
  readonly prefix: string
  /**
   * A new hash for a password that was just proved right, where the stored one is not what would be
   * made today: of another service, or of another cost. Null where it is.
   */
  renew(passwordHash: string, password: string, turn?: Turn): Promise<string | null>
}

/** The password by which the checks of stored hashes are timed. */
const timedPassword = 'the password of no user'

/**
 * A hash of no password, for users without one: to check it takes as long as to check any other of this cost. It is
 * put together rather than computed, so that a service that hashes nothing opens no thread.
 *
 * @see RFC 9106 §3.1, and the string format of the Password Hashing Competition
 */
function makeDummyHash({ memoryKib, iterations, parallelism }: Argon2Cost): string {
  const part = (byteCount: number) => randomBytes(byteCount).toString('base64').replaceAll('=', '')
  const parameters = `m=${memoryKib},t=${iterations},p=${parallelism}`
  return `$argon2id$v=19$${parameters}$${part(16)}$${part(32)}`
}

/** How often a kind of hash is checked to learn how long that takes. */
const learningChecks = 3

/** So long a wrong password waits for what is being learned, and no longer. */
const maxLearningMs = 2000

export function createPasswordHasher(
  cost: Argon2Cost,
  { compute, computeIn }: Pick<HashingThreads, 'compute' | 'computeIn'>,
): PasswordHasher {
  const options = {
    memoryCost: cost.memoryKib,
    timeCost: cost.iterations,
    parallelism: cost.parallelism,
  }
  const computing = (turn?: Turn) => (turn ? computeIn(turn) : compute)
  const make = async (password: string, turn?: Turn) =>
    (await computing(turn)('makeArgon2', password, options)).value
  const dummyHash = makeDummyHash(cost)
  const isUpToDate = (passwordHash: string) =>
    parametersOf(passwordHash) === parametersOf(dummyHash)
  const times = createCheckTimes()
  const oneAtATime = createKeyedMutex()
  let learning = Promise.resolve()

  const check = async (
    passwordHash: string | null,
    password: string,
    turn?: Turn,
  ): Promise<Check> => {
    const inTurn = computing(turn)
    const known = passwordHash === null ? null : await checkHash(inTurn, passwordHash, password)
    const checked = known ?? (await checkHash(inTurn, dummyHash, password))
    if (!checked) throw new Error('a hash that was made here cannot be checked')
    times.note(checked.kind, checked.ms)
    return { ...checked, matches: known?.matches ?? false }
  }

  const learnKinds = async (hashes: readonly string[]) => {
    for (const hash of hashes) {
      const kind = findScheme(hash)?.kindOf(hash)
      if (kind === undefined || times.isKnown(kind)) continue
      for (let count = 0; count < learningChecks; count += 1) {
        await check(hash, timedPassword)
        await check(null, timedPassword)
      }
    }
  }

  return {
    prefix: `${parametersOf(dummyHash)}$`,
    hash: make,
    verify: async (passwordHash, password, turn) => {
      const { matches, ms } = await check(passwordHash, password, turn)
      const endedAt = performance.now()
      if (matches) return true
      await withinTime(learning, maxLearningMs, () => new Error('late')).catch(() => {})
      await waitUntil(endedAt + times.leastMs() - ms)
      return false
    },
    inLine: (subject, check) => (times.areEqual() ? check() : oneAtATime(subject, check)),
    learn: async (findHashes) => {
      const found = findHashes()
      const [before, learned] = [learning, Promise.withResolvers<void>()]
      learning = learned.promise
      try {
        const hashes = await found
        await before
        // What cannot be checked now is learned of when somebody signs in.
        await learnKinds(hashes).catch(() => {})
      } finally {
        learned.resolve()
      }
    },
    renew: async (passwordHash, password, turn) =>
      isUpToDate(passwordHash) ? null : make(password, turn),
  }
}

/** `$argon2id$v=19$m=19456,t=2,p=1`: what a hash in the PHC string format says before its salt. */
const parametersOf = (passwordHash: string): string => passwordHash.split('$').slice(0, 4).join('$')

interface Check {
  kind: string
  matches: boolean
  ms: number
}

/** Null for a hash that cannot be checked: it fits no password. */
async function checkHash(
  compute: Compute,
  passwordHash: string,
  password: string,
): Promise<Check | null> {
  const scheme = findScheme(passwordHash)
  if (!scheme) return null
  let ms = 0
  const noting: Compute = async (name, ...args) => {
    const computed = await compute(name, ...args)
    ms += computed.ms
    return computed
  }
  try {
    const matches = await scheme.verify(noting, passwordHash, password)
    return { kind: scheme.kindOf(passwordHash), matches, ms }
  } catch (error) {
    // Too much to do, or nobody to do it. Anything else says that the hash is none.
    if (error instanceof AuthError) throw error
    return null
  }
}

/** A timer may fire a moment early, and does not count parts of a millisecond. */
async function waitUntil(instant: number): Promise<void> {
  for (let left = instant - performance.now(); left > 0; left = instant - performance.now()) {
    await sleep(Math.ceil(left))
  }
}
