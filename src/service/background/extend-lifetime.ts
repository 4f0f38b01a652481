import type { WaitUntil } from '../../platform/config/sections/background.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/** The longest that a host is asked to wait for what goes on after an answer. */
export const longestBackgroundMs = 25_000

/**
 * Gives work to what keeps the process running until it has ended. What it is given never rejects, and ends after
 * {@link longestBackgroundMs} at most.
 *
 * @returns whether it was taken: a host may have its function, and no request that it could go on after.
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
      'waitUntil did not take what goes on after an answer',
    )
  try {
    // What an asynchronous function throws comes later. By then nothing can be done about it.
    Promise.resolve(waitUntil(bounded)).catch(failed)
    return true
  } catch (error) {
    failed(error)
    return false
  }
}
