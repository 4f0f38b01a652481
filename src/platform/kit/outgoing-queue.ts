import { createFairQueue, type FairnessPath } from './fair-queue.ts'

/** Runs work once one of a bounded number of places is free. */
export type OutgoingQueue = <T>(work: () => Promise<T>) => Promise<T>

export interface QueueLimits {
  /** How much work runs at a time. */
  width: number
  /** How much work waits at most. */
  maxWaiting: number
  /** How long work waits at most. */
  maxWaitMs: number
  /** The networks of the client that causes the work, the widest first. */
  pathOf(): FairnessPath
  /** Makes the error for work that found no place. */
  full(): Error
}

/**
 * Bounds work that waits for other servers: its width, its queue and the wait in it.
 *
 * The queue is fair on each level of networks: the widest take turns, and each divides its turns among its narrower
 * ones. Where it is full, the network with the most waiting work loses the last of it to one with less.
 *
 * @throws the error of `full` where the queue is full, or the wait has been too long.
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
      // The next one inherits the place.
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
