import type { WaitUntil } from '../../platform/config/sections/server.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { HashLearning } from './learn-stored-hashes.ts'
import type { Sweeping } from './sweep-expired.ts'

/** The origin of a request or call. */
export interface RequestScope {
  /** Keeps the process running after the response; null where the host has no such function. */
  waitUntil: WaitUntil | null
  /**
   * Whether it may wait for due tasks where nothing runs after the response. False for a look-up of
   * a user within a request.
   */
  isAwaited: boolean
}

/** The periodic tasks. */
export interface BackgroundTasks {
  learning: HashLearning
  /** Null where expired rows are deleted elsewhere. */
  sweeping: Sweeping | null
  /** Renews keys that were not checked for a long time. */
  renewKeys(): Promise<void>
}

/** The work besides requests and calls. */
export interface Background {
  tasks: BackgroundTasks
  /** Runs a request or call, and its background work and due tasks. */
  runWithin<T>(work: () => Promise<T>, scope: RequestScope): Promise<T>
  close(): Promise<void>
}

/** The maximum time of work after a response. */
export const longestBackgroundMs = 25_000

/**
 * Passes work to the function that keeps the process running until it has ended. The passed promise
 * never rejects, and settles after {@link longestBackgroundMs} at most.
 *
 * @returns whether the host accepted it: its function may throw outside a request.
 */
export function extendLifetime(
  waitUntil: WaitUntil,
  work: Promise<unknown>,
  logger: Logger,
): boolean {
  const bounded = withinTime(work, longestBackgroundMs, () => new Error('late')).then(
    () => {},
    () => {},
  )
  const failed = (error: unknown): void =>
    logger.warn(
      { fault: describeFault(error) },
      'waitUntil failed; work after the response may be suspended',
    )
  try {
    // A rejection of an asynchronous function comes too late to be handled.
    Promise.resolve(waitUntil(bounded)).catch(failed)
    return true
  } catch (error) {
    failed(error)
    return false
  }
}
