import { createSharedQueue, type OutgoingQueue } from './outgoing-queue.ts'
import type { FetchAnswer, FetchOptions } from './safe-fetch.ts'

const maxTimeMs = 5_000
const maxBytes = 1024 * 1024

export interface OutsideFetchOptions extends Omit<FetchOptions, 'trust'> {
  /** Has no effect. */
  trust?: FetchOptions['trust']
  /** True if the operator permitted this host, also at a private address. Default false. */
  isPermittedHost?: boolean
  /**
   * Shares one response between concurrent requests to the same URL, which have equal options.
   * Default false.
   */
  isShared?: boolean
}

/** Sends a request to a URL that a request, a token or a document supplied. */
export type OutsideFetch = (url: string, options: OutsideFetchOptions) => Promise<FetchAnswer>

/**
 * Returns the function that sends requests to URLs that a request, a token or a document supplied:
 * over https, to public addresses only, bounded in size, time and number (rule 9). The caller can
 * lower the bounds only. Each purpose has a queue of its own, so that clients that publish slow
 * documents delay no sign-in at a provider.
 */
export const openOutsideFetch = (
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>,
  queue: OutgoingQueue,
): OutsideFetch => {
  const share = createSharedQueue(queue)
  return (url, { isShared = false, ...options }) => {
    const send = () => fetch(url, withinBounds(options))
    return isShared ? share(url, send) : queue(send)
  }
}

const withinBounds = ({
  isPermittedHost = false,
  ...options
}: Omit<OutsideFetchOptions, 'isShared'>): FetchOptions => ({
  ...options,
  trust: isPermittedHost ? 'operator' : 'outside',
  timeoutMs: Math.min(options.timeoutMs ?? maxTimeMs, maxTimeMs),
  maxBytes: Math.min(options.maxBytes ?? maxBytes, maxBytes),
})
