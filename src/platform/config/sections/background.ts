import type { Seconds } from './values.ts'

/**
 * Extends the process's lifetime until work after a response has ended, as `waitUntil` of Vercel,
 * Netlify and Cloudflare does. The promise never rejects, and ends within 25 seconds.
 */
export type WaitUntil = (work: Promise<void>) => unknown

/** Work after a response, and the host's guarantees for it. */
export interface BackgroundConfig {
  /**
   * Receives the work after each request and call, such as the delivery of messages. An option of
   * the same name of `auth.fetch` replaces it for one request. Default: none.
   */
  waitUntil?: WaitUntil | undefined
  /**
   * Whether the process is suspended between requests, as on serverless hosts. Background tasks
   * that are due then run with a request, and Latchkey relies on no timer, thread or listening
   * connection: see `docs/serverless.md`. Default false.
   */
  frozenBetweenRequests?: boolean | undefined
  /**
   * For processes that are suspended between requests and have no `waitUntil`: how long a response
   * waits for the delivery of its messages. Responses whose duration must not disclose whether an
   * account exists always take this long. Default 2 s.
   */
  answerDelaySeconds?: Seconds | undefined
}

export interface ResolvedBackground {
  waitUntil: WaitUntil | null
  frozenBetweenRequests: boolean
  answerDelaySeconds: number
}
