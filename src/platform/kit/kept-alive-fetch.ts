import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type FetchAnswer, type FetchOptions, safeFetch } from './safe-fetch.ts'

/** A fetch function that keeps its connections for further requests, and closes them at the end. */
export interface KeptAliveFetch {
  fetch(url: string, options: FetchOptions): Promise<FetchAnswer>
  close(): void
}

/** Shorter than the time after which most servers close an idle connection. */
const maxIdleMs = 4_000

/**
 * Returns a `safeFetch` that keeps connections to hosts of the configuration. All of them were
 * opened with the check of that trust. A URL from outside gets a separate connection.
 *
 * @param width the number of kept connections, per host.
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
