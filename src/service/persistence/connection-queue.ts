import { createFairQueue, type FairnessPath } from '../../platform/kit/fair-queue.ts'

/** Requests for a database connection that wait for one. */
export interface ConnectionQueue<Waiting> {
  /** Adds a request of a client, or, where the path is null, one of the service itself. */
  add(path: FairnessPath | null, waiting: Waiting): void
  /**
   * Removes and returns the request that the next free connection serves; undefined where none
   * waits.
   */
  next(): Waiting | undefined
  /** Removes a request, if it still waits. */
  remove(path: FairnessPath | null, waiting: Waiting): void
  size(): number
}

/**
 * While both wait, one of this number of free connections serves the service itself, and the others
 * serve clients.
 */
const turnsPerOwn = 4

/** The service has no client path. Its few statements wait in one line. */
const ownPath: FairnessPath = []

/**
 * Creates a queue that is fair on each level of client networks: the widest take turns, and each
 * divides its turns among its narrower ones. Statements of the service itself, such as sweeps and
 * deliveries, have a place of their own: no number of networks delays them for longer than a few
 * turns, and they never delay clients for longer than one.
 *
 * The queue has no capacity of its own: each request waits for a bounded time.
 */
export function createConnectionQueue<Waiting>(): ConnectionQueue<Waiting> {
  const clients = createFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  const own = createFairQueue<Waiting>(Number.POSITIVE_INFINITY)
  let turnsSinceOwn = 0

  return {
    add: (path, waiting) => void (path ? clients.add(path, waiting) : own.add(ownPath, waiting)),
    next: () => {
      const isOwnTurn = clients.size() === 0 || turnsSinceOwn >= turnsPerOwn - 1
      const one = isOwnTurn ? own.next() : undefined
      turnsSinceOwn = one === undefined ? turnsSinceOwn + 1 : 0
      return one ?? clients.next() ?? own.next()
    },
    remove: (path, waiting) => {
      if (path) clients.remove(path, waiting)
      else own.remove(ownPath, waiting)
    },
    size: () => clients.size() + own.size(),
  }
}
