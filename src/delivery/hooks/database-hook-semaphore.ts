import { requestTimeout } from '../../platform/errors/request-errors.ts'
import { type ClientScope, pathOfClient } from '../../platform/kit/client-scope.ts'
import { createKeyedSemaphore } from '../../platform/kit/keyed-semaphore.ts'

/** Runs a call of a database function, or delays it. Networks have equal shares. */
export type DatabaseHookSemaphore = <T>(call: () => Promise<T>) => Promise<T>

/** The number of concurrent calls for a pool without a fixed size. */
const usualWidth = 8

/**
 * Creates the semaphore of the hooks that are functions of the database. A call occupies a
 * connection for as long as the function runs, so half of the connections stay free for other
 * requests.
 *
 * @param poolSize the number of connections to the database; 0 for no fixed one.
 */
export function createDatabaseHookSemaphore(
  poolSize: number,
  clientScope: Pick<ClientScope, 'current'>,
): DatabaseHookSemaphore {
  const half = Math.max(1, Math.floor(poolSize / 2))
  const inTurn = createKeyedSemaphore(poolSize === 0 ? usualWidth : half)
  return (call) => {
    const request = clientScope.current()
    return inTurn('hook', pathOfClient(request), () => {
      if (request?.isOver?.()) throw requestTimeout()
      return call()
    })
  }
}
