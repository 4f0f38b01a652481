import type { WaitUntil } from '../../platform/config/sections/server.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

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
