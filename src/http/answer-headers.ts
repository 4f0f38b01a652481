import type { H3Event } from 'h3'

declare module 'h3' {
  interface H3EventContext {
    /** Headers of the answer that a route set, by lower-case name. */
    answerHeaders?: Record<string, string>
  }
}

/** Sets headers of an answer whose body is what the route returns: `event.res` is not read. */
export function setAnswerHeaders({ context }: H3Event, headers: Record<string, string>): void {
  context.answerHeaders = { ...context.answerHeaders, ...headers }
}
