import { secondsSince, type Telemetry } from '../../platform/observability/telemetry.ts'
import type { Computations, Compute } from './compute.ts'
import type { HashingThreads } from './hashing-threads.ts'

/** The operation and algorithm of each computation in traces. */
const words: Record<keyof Computations, { operation: string; algorithm: string }> = {
  makeArgon2: { operation: 'hash', algorithm: 'argon2id' },
  verifyArgon2: { operation: 'verify', algorithm: 'argon2' },
  verifyBcrypt: { operation: 'verify', algorithm: 'bcrypt' },
  deriveScryptKey: { operation: 'verify', algorithm: 'scrypt' },
  derivePbkdf2Key: { operation: 'verify', algorithm: 'pbkdf2' },
}

/**
 * Wraps threads, so that each computation is a span with a duration, its time in the queue
 * included.
 */
export function tracedThreads(
  threads: HashingThreads,
  telemetry: Telemetry | null,
): HashingThreads {
  if (!telemetry) return threads
  telemetry.observe('auth.hashing.waiting', () => [{ value: threads.load().waiting }])
  telemetry.observe('auth.hashing.running', () => [{ value: threads.load().running }])
  const traced =
    (compute: Compute): Compute =>
    async (computation, ...args) => {
      const { operation, algorithm } = words[computation]
      const attributes = {
        'auth.hashing.operation': operation,
        'auth.hashing.algorithm': algorithm,
      }
      const step = { name: `${operation} password`, attributes, isPart: true }
      const startedAt = performance.now()
      try {
        return await telemetry.run(step, () => compute(computation, ...args))
      } finally {
        telemetry.time('auth.hashing.duration', secondsSince(startedAt), attributes)
      }
    }
  return {
    ...threads,
    compute: traced(threads.compute),
    computeWith: (priority) => traced(threads.computeWith(priority)),
    computeCostlyWith: (priority) => traced(threads.computeCostlyWith(priority)),
  }
}
