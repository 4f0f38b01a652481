import { requestTimeout } from '../../platform/errors/request-errors.ts'
import { createKeyedSemaphore } from '../../platform/kit/keyed-semaphore.ts'
import { pathOfRequester, type RequesterScope } from '../../platform/kit/requester-scope.ts'

/** Runs a call of a database function at once, or after others. Networks take turns. */
export type DatabaseHookTurns = <T>(call: () => Promise<T>) => Promise<T>

/** The number of concurrent calls for a pool without a fixed size. */
const usualWidth = 8

/**
 * Creates turns for the hooks that are functions of the database. A call occupies a connection for
 * as long as the function runs, so half of the connections stay free for other requests.
 *
 * @param poolSize the number of connections to the database; 0 for no fixed one.
 */
export function createDatabaseHookTurns(
  poolSize: number,
  requester: Pick<RequesterScope, 'current'>,
): DatabaseHookTurns {
  const half = Math.max(1, Math.floor(poolSize / 2))
  const inTurn = createKeyedSemaphore(poolSize === 0 ? usualWidth : half)
  return (call) => {
    const request = requester.current()
    return inTurn('hook', pathOfRequester(request), () => {
      if (request?.isOver?.()) throw requestTimeout()
      return call()
    })
  }
}
