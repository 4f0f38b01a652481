import { createFairQueue, type FairnessPath } from './fair-queue.ts'
import type { FetchAnswer, FetchOptions } from './safe-fetch.ts'

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

const maxTimeMs = 5_000
const maxBytes = 1024 * 1024

export interface OutsideFetchOptions extends Omit<FetchOptions, 'trust'> {
  /** Has no effect. */
  trust?: FetchOptions['trust']
  /** True if the operator permitted this host, also at a private address. Default false. */
  isPermittedHost?: boolean
}

/** Sends a request to a URL that a request, a token or a document supplied. */
export type OutsideFetch = (url: string, options: OutsideFetchOptions) => Promise<FetchAnswer>

/**
 * Returns the function that sends requests to URLs that a request, a token or a document supplied:
 * over https, to public addresses only, bounded in size, time and number (rule 9). The caller can
 * lower the bounds only. Each purpose has a queue of its own, so that clients that publish slow
 * documents delay no sign-in at a provider.
 */
export const openOutsideFetch =
  (fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>, queue: OutgoingQueue) =>
  (url: string, options: OutsideFetchOptions): Promise<FetchAnswer> =>
    queue(() => fetch(url, withinBounds(options)))

const withinBounds = ({
  isPermittedHost = false,
  ...options
}: OutsideFetchOptions): FetchOptions => ({
  ...options,
  trust: isPermittedHost ? 'operator' : 'outside',
  timeoutMs: Math.min(options.timeoutMs ?? maxTimeMs, maxTimeMs),
  maxBytes: Math.min(options.maxBytes ?? maxBytes, maxBytes),
})
