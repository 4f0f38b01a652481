import { setTimeout as sleep } from 'node:timers/promises'
import { AuthError } from '../platform/errors/auth-error.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import type { Logger } from '../platform/observability/logger.ts'

const pauseMs = 1_000

/**
 * States of a server that accepts no statements yet: it starts, or restores a backup.
 *
 * @see PostgreSQL documentation, appendix A: `cannot_connect_now`,
 *   `object_not_in_prerequisite_state`
 */
const startingStates = new Set(['57P03', '55000'])

/**
 * Starts a service, and tries again each second while the database starts or restores. Other
 * errors, such as a wrong address, end the command.
 */
export async function whenDatabaseRuns<T>(start: () => Promise<T>, logger: Logger): Promise<T> {
  let isLogged = false
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof AuthError) || !isStarting(error.cause)) throw error
      if (!isLogged) {
        logger.warn({ fault: describeFault(error) }, 'the database starts or restores; serve waits')
      }
      isLogged = true
      await sleep(pauseMs)
    }
  }
}

const isStarting = (error: unknown): boolean => {
  const { code, cause } = Object(error)
  return startingStates.has(String(code)) || (cause !== undefined && isStarting(cause))
}
