import type { Seconds } from './values.ts'

/**
 * Keeps a process running until work that goes on after an answer has ended, as `waitUntil` of Vercel, Netlify and Cloudflare
 * do. The promise never rejects, and ends within 25 seconds.
 */
export type WaitUntil = (work: Promise<void>) => unknown

/** What goes on after an answer, and what it may rely on. */
export interface BackgroundConfig {
  /**
   * Is given what goes on after each request and call, such as messages on their way. An option of the same name of `auth.fetch`
   * takes its place for one request. Default: none.
   */
  waitUntil?: WaitUntil | undefined
  /**
   * Whether nothing runs between requests, as on serverless hosts. What is due is then done when a request comes, by the clock,
   * and no timer, thread or listening connection is relied on: see `docs/serverless.md`. Default false.
   */
  frozenBetweenRequests?: boolean | undefined
  /**
   * Where nothing runs between requests, and no `waitUntil` is given: how long an answer waits for the messages that its request
   * had sent. Answers that must not tell by their time whether somebody has an account take as long as this. Default 2 s.
   */
  answerDelaySeconds?: Seconds | undefined
}

export interface ResolvedBackground {
  waitUntil: WaitUntil | null
  frozenBetweenRequests: boolean
  answerDelaySeconds: number
}
