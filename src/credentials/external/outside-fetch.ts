import type { OutgoingQueue } from '../../platform/kit/outgoing-queue.ts'
import type { FetchOptions } from '../../platform/kit/safe-fetch.ts'
import type { Fetch } from './protocol/request-provider.ts'

const maxTimeMs = 5_000
const maxBytes = 1024 * 1024

/**
 * Returns the function that sends requests to URLs that a request, a token or a document supplied:
 * over https, to public addresses only, bounded in size, time and number (rule 9). The caller can
 * lower the bounds only.
 */
export const openOutsideFetch =
  (fetch: Fetch, queue: OutgoingQueue): Fetch =>
  (url, options) =>
    queue(() => fetch(url, withinBounds(options)))

const withinBounds = (options: FetchOptions): FetchOptions => ({
  ...options,
  trust: 'outside',
  timeoutMs: Math.min(options.timeoutMs ?? maxTimeMs, maxTimeMs),
  maxBytes: Math.min(options.maxBytes ?? maxBytes, maxBytes),
})
