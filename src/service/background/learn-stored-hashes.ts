import type { Deps } from '../../accounts/auth-context.ts'
import { findHashSamples } from '../../accounts/users/find-hash-samples.sql.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'

/** Another instance, or an import from the command line, may have stored hashes of another kind. */
const everyMs = 60 * 60 * 1000

const maxKinds = 32

/** The known kinds of stored hashes, and the time of their last look-up. */
export interface HashLearning {
  isDue(): boolean
  /** Looks up the kinds if that is due, and waits for a running look-up. Never fails. */
  learn(): Promise<void>
  stop(): void
}

/**
 * Finds the kinds of stored hashes. With their cost, the response time of a wrong password does not
 * reveal whether its address has an account.
 */
export function createHashLearning({ clock, passwords, database, logger }: Deps): HashLearning {
  let isStopped = false
  let learnedAt: Date | null = null
  let learning: Promise<void> | null = null
  const find = () => findHashSamples(database.sql, { except: passwords.prefix, limit: maxKinds })
  const isOld = () => isOlder(learnedAt, everyMs, clock.now())
  const begin = async (): Promise<void> => {
    learnedAt = clock.now()
    try {
      await passwords.learn(find)
    } catch (error) {
      if (isStopped) return
      const fault = describeFault(error)
      logger.warn({ fault }, 'kinds of stored password hashes not loaded')
    } finally {
      learning = null
    }
  }
  return {
    isDue: () => learning !== null || isOld(),
    learn: async () => {
      if (!learning && isOld()) learning = begin()
      await learning
    },
    stop: () => {
      isStopped = true
    },
  }
}

/** Returns the function that ends it. */
export function learnEveryHour(learning: HashLearning): () => void {
  const timer = setInterval(() => void learning.learn(), everyMs).unref()
  return () => clearInterval(timer)
}
