import { randomBytes } from 'node:crypto'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { FairnessPath } from '../../platform/kit/fair-queue.ts'
import { createKeyedSemaphore } from '../../platform/kit/keyed-semaphore.ts'
import { createUsualTimes } from '../../platform/kit/usual-times.ts'
import { waitUntil } from '../../platform/kit/wait-until.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { Compute } from './compute.ts'
import type { HashingPriority } from './gate.ts'
import { findScheme } from './hash-schemes.ts'
import type { HashingThreads } from './hashing-threads.ts'

/** The cost of a hash. @see RFC 9106 §3.1 */
export interface Argon2Cost {
  memoryKib: number
  iterations: number
  parallelism: number
}

/** Hashes and verifies passwords, a bounded number at a time. Calls without a priority share one. */
export interface PasswordHasher {
  /** Returns a new hash in the PHC string format, argon2id. */
  hash(password: string, priority?: HashingPriority): Promise<string>
  /**
   * Returns whether the password matches the hash. Without a hash, or with an invalid one, it does
   * the same work and returns false, so that an unknown user takes as long as a known one.
   *
   * Where hashes of several kinds are stored (of other services or with other costs), the response
   * to a wrong password takes as long as with the slowest of them.
   */
  verify(
    passwordHash: string | null,
    password: string,
    priority?: HashingPriority,
  ): Promise<boolean>
  /**
   * Whether a check with this priority would start or wait now, rather than fail; for hashes that
   * take seconds, which have a queue of their own, it may fail nevertheless.
   */
  admits(priority: HashingPriority): boolean
  /**
   * Runs a check after those for the same subject, where hashes of several kinds are stored: the
   * load of many concurrent checks for one address would reveal the cost of its hash. Networks take
   * turns.
   */
  serialized<T>(subject: string, path: FairnessPath, check: () => Promise<T>): Promise<T>
  /**
   * Measures the time to verify stored hashes of kinds that were not measured yet. Responses to
   * wrong passwords wait for the result. Rejects only if `findHashes` does.
   */
  learn(findHashes: () => Promise<readonly string[]>): Promise<void>
  /** The prefix of new hashes. */
  readonly prefix: string
  /**
   * Returns a new hash for a password that was just verified, if the stored one is of another
   * service or has another cost. Returns null if it is up to date, or if too many passwords are
   * waiting.
   */
  renew(passwordHash: string, password: string, priority?: HashingPriority): Promise<string | null>
}

/** The password that measurements verify. */
const timedPassword = 'the password of no user'

/**
 * Returns a hash that no password matches, for users without one. To verify it takes as long as any
 * other hash of this cost. It is composed rather than computed, so that a service without passwords
 * opens no thread.
 *
 * @see RFC 9106 §3.1, and the string format of the Password Hashing Competition
 */
function makeDummyHash({ memoryKib, iterations, parallelism }: Argon2Cost): string {
  const part = (byteCount: number) => randomBytes(byteCount).toString('base64').replaceAll('=', '')
  const parameters = `m=${memoryKib},t=${iterations},p=${parallelism}`
  return `$argon2id$v=19$${parameters}$${part(16)}$${part(32)}`
}

/** The number of measurements per kind of hash. */
const learningChecks = 3

/** The maximum time that the response to a wrong password waits for measurements. */
const maxLearningMs = 2000

export function createPasswordHasher(
  cost: Argon2Cost,
  {
    compute,
    computeWith,
    computeCostlyWith,
    admits,
  }: Pick<HashingThreads, 'compute' | 'computeWith' | 'computeCostlyWith' | 'admits'>,
): PasswordHasher {
  const options = {
    memoryCost: cost.memoryKib,
    timeCost: cost.iterations,
    parallelism: cost.parallelism,
  }
  const computing = (priority?: HashingPriority) => (priority ? computeWith(priority) : compute)
  const make = async (password: string, priority?: HashingPriority) =>
    (await computing(priority)('makeArgon2', password, options)).value
  const dummyHash = makeDummyHash(cost)
  const isUpToDate = (passwordHash: string) =>
    parametersOf(passwordHash) === parametersOf(dummyHash)
  /** Hashes of the configured cost are all users' own, and so never costly. */
  const isCostly = (passwordHash: string) =>
    !isUpToDate(passwordHash) && findScheme(passwordHash)?.isCostly?.(passwordHash) === true
  let hasCostly = false
  const computingFor = (passwordHash: string, priority?: HashingPriority) => {
    if (!isCostly(passwordHash)) return computing(priority)
    hasCostly = true
    return computeCostlyWith(priority)
  }
  /**
   * Waits as long as a costly hash would wait for others: an attacker who keeps their thread busy
   * could otherwise recognize the accounts that have one.
   */
  const passCostly = (priority?: HashingPriority) =>
    computeCostlyWith(priority)('derivePbkdf2Key', '', '', 1, 16, 'sha256')
  const times = createUsualTimes()
  const oneAtATime = createKeyedSemaphore(1)
  let learning = Promise.resolve()

  const check = async (
    passwordHash: string | null,
    password: string,
    priority?: HashingPriority,
  ): Promise<Check> => {
    const verify = (hash: string) => checkHash(computingFor(hash, priority), hash, password)
    const known = passwordHash === null ? null : await verify(passwordHash)
    const checked = known ?? (await verify(dummyHash))
    if (!checked) throw new Error('the dummy hash cannot be verified')
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
    admits,
    verify: async (passwordHash, password, priority) => {
      const { matches, ms } = await check(passwordHash, password, priority)
      if (matches) return true
      if (hasCostly && !(passwordHash && isCostly(passwordHash))) await passCostly(priority)
      const endedAt = performance.now()
      await withinTime(learning, maxLearningMs, () => new Error('late')).catch(() => {})
      await waitUntil(endedAt + times.leastMs() - ms)
      return false
    },
    serialized: (subject, path, check) =>
      times.areEqual() ? check() : oneAtATime(subject, path, check),
    learn: async (findHashes) => {
      const found = findHashes()
      const [before, learned] = [learning, Promise.withResolvers<void>()]
      learning = learned.promise
      try {
        const hashes = await found
        await before
        // A kind that cannot be verified now is measured at a sign-in.
        await learnKinds(hashes).catch(() => {})
      } finally {
        learned.resolve()
      }
    },
    renew: async (passwordHash, password, priority) =>
      isUpToDate(passwordHash) ? null : make(password, priority).catch(nullIfBusy),
  }
}

/**
 * Returns null where the gate is full: the password is right, so its sign-in succeeds, and a later
 * one renews the hash. The error of a full gate has no cause, unlike that of a thread that failed.
 */
function nullIfBusy(error: unknown): null {
  if (error instanceof AuthError && error.cause === undefined) return null
  throw error
}

/** Returns algorithm, version and cost of a hash: `$argon2id$v=19$m=19456,t=2,p=1`. */
const parametersOf = (passwordHash: string): string => passwordHash.split('$').slice(0, 4).join('$')

interface Check {
  kind: string
  matches: boolean
  ms: number
}

/** Verifies a password. Returns null for an invalid hash, which no password matches. */
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
    // The gate is full, or the threads have stopped. Any other error means that the hash is
    // invalid.
    if (error instanceof AuthError) throw error
    return null
  }
}
