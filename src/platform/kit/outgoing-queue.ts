import type { SingleFlight } from './concurrency.ts'
import { createFairQueue, type FairnessPath } from './fair-queue.ts'

/**
 * Runs work when one of a bounded number of places is free.
 *
 * @param signal ends the wait. Work that has begun continues.
 */
export type OutgoingQueue = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

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

  const place = (signal: AbortSignal | undefined): Promise<void> => {
    const path = pathOf()
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', refuse)
      }
      const begin = () => {
        end()
        resolve()
      }
      const refuse = () => {
        end()
        waiting.remove(path, one)
        reject(full())
      }
      const one: Waiting = { begin, refuse }
      const timer = setTimeout(refuse, maxWaitMs)
      signal?.addEventListener('abort', refuse)
      waiting.add(path, one)?.refuse()
    })
  }
  return async (work, signal) => {
    if (running < width) running += 1
    else await place(signal)
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

/** Work with a key that several callers share. */
interface SharedWork<T> {
  /** The result, once one of the callers has a place. */
  result: PromiseWithResolvers<T>
  /** Ends the waits of the other callers. */
  begun: AbortController
  /** The number of callers that wait for a place. */
  waiting: number
}

/**
 * Creates a function that runs work for a key, unless it is already running: then its result is
 * shared. Each caller waits at its own place in the queue, and the first free place is that of all,
 * so that no network has to wait behind the requests of another one.
 *
 * @returns a function for work of one kind: all work with the same key has the same result type.
 *   It throws the error of the queue for a caller without a place.
 */
export function createSharedQueue(queue: OutgoingQueue): SingleFlight {
  const all = new Map<string, SharedWork<unknown>>()

  const open = (key: string): SharedWork<unknown> => {
    const result = Promise.withResolvers<unknown>()
    // Callers receive the error.
    result.promise.catch(() => {})
    const opened = { result, begun: new AbortController(), waiting: 0 }
    all.set(key, opened)
    return opened
  }

  return <T>(key: string, work: () => Promise<T>) => {
    const shared = (all.get(key) ?? open(key)) as SharedWork<T>
    const { result, begun } = shared
    if (begun.signal.aborted) return result.promise
    const end = () => {
      if (all.get(key) === shared) all.delete(key)
    }
    shared.waiting += 1
    const own = queue(() => {
      if (begun.signal.aborted) return result.promise
      begun.abort()
      result.resolve(work().finally(end))
      return result.promise
    }, begun.signal).catch((error: unknown) => {
      shared.waiting -= 1
      if (begun.signal.aborted) return result.promise
      if (shared.waiting === 0) end()
      throw error
    })
    return Promise.race([own, result.promise])
  }
}

interface Waiting {
  begin(): void
  refuse(): void
}
