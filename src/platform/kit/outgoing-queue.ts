import { createFairQueue, type FairnessPath } from './fair-queue.ts'

/** Runs work when one of a bounded number of places is free. */
export type OutgoingQueue = <T>(work: () => Promise<T>) => Promise<T>

interface QueueLimits {
  /** The maximum of concurrent work. */
  width: number
  /** The maximum of waiting work. */
  maxWaiting: number
  /** The maximum time that work waits. */
  maxWaitMs: number
  /** The networks of the client that causes the work, the widest first. */
  pathOf(): FairnessPath
  /** Creates the error for work without a place. */
  full(): Error
}

/**
 * Creates a queue for work that waits for other servers, with a limited width, length and wait.
 *
 * The queue alternates between the widest networks, and within each between its narrower ones. If
 * it is full, the network with the most waiting work loses its last to a network with less.
 *
 * @throws the error of `full` if the queue is full, or the wait was too long.
 */
export function createOutgoingQueue({
  width,
  maxWaiting,
  maxWaitMs,
  pathOf,
  full,
}: QueueLimits): OutgoingQueue {
  const waiting = createFairQueue<Waiting>(maxWaiting)
  let running = 0

  const place = (): Promise<void> => {
    const path = pathOf()
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const refuse = () => {
        clearTimeout(timer)
        waiting.remove(path, one)
        reject(full())
      }
      const one: Waiting = { begin, refuse }
      const timer = setTimeout(refuse, maxWaitMs)
      waiting.add(path, one)?.refuse()
    })
  }
  return async (work) => {
    if (running < width) running += 1
    else await place()
    try {
      return await work()
    } finally {
      // The next work inherits the place.
      const next = waiting.next()
      if (next) next.begin()
      else running -= 1
    }
  }
}

interface Waiting {
  begin(): void
  refuse(): void
}
