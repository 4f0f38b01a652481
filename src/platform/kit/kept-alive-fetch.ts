import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type FetchAnswer, type FetchOptions, safeFetch } from './safe-fetch.ts'

/** A fetch that keeps its connections for the next request, and closes them at the end. */
export interface KeptAliveFetch {
  fetch(url: string, options: FetchOptions): Promise<FetchAnswer>
  close(): void
}

/** Below the time after which most servers close a connection without a request. */
const maxIdleMs = 4_000

/**
 * Opens a `safeFetch` whose connections to hosts of the configuration are kept. Each was opened with the check of that
 * trust. A URL from outside gets a connection of its own.
 *
 * @param width connections that are kept, per host.
 */
export function openKeptAliveFetch(width: number): KeptAliveFetch {
  const options = { keepAlive: true, maxFreeSockets: width, timeout: maxIdleMs }
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  const agentFor = (url: string, { trust, resolve }: FetchOptions) => {
    if (trust !== 'operator' || resolve) return undefined
    return url.startsWith('https:') ? https : http
  }
  return {
    fetch: (url, given) => safeFetch(url, { ...given, agent: agentFor(url, given) }),
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}
