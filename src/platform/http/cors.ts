import { type H3Event, isPreflightRequest } from 'h3'
import { Answer } from './answer.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Scripts of other origins may neither request nor read it. */
    isWithheld?: boolean
  }
}

/** Headers that browsers may send from any origin. */
const requestHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Origin',
  'X-Client-IP',
  'X-Client-Info',
  'X-JWT-AUD',
  'x-use-cookie',
  'X-Supabase-Api-Version',
  'apikey',
  // Clients in Dart, Kotlin and Swift state where they run.
  'X-Supabase-Client-Platform',
  'X-Supabase-Client-Platform-Version',
  'X-Supabase-Client-Runtime',
  'X-Supabase-Client-Runtime-Version',
  // Clients that propagate traces: the W3C's Trace Context and Baggage.
  'traceparent',
  'tracestate',
  'baggage',
  // Clients of the OAuth server: RFC 9449, and the Model Context Protocol.
  'DPoP',
  'MCP-Protocol-Version',
]

/** Responds to a preflight request; throws for any other request. */
export type AnswerPreflight = (event: H3Event, rejection: () => Error) => Answer

/**
 * Allows scripts of any origin to call, without credentials: the endpoints read no cookie, so a
 * foreign page gains nothing over its own server. This responds to preflight requests; each
 * response itself permits reading.
 */
export function allowAnyOrigin(furtherHeaders: readonly string[]): AnswerPreflight {
  const headers = {
    'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
    'access-control-allow-headers': [...requestHeaders, ...furtherHeaders].join(','),
    vary: 'access-control-request-headers',
  }
  return (event, rejection) => {
    if (event.context.isWithheld || !isPreflightRequest(event)) throw rejection()
    return new Answer(204, { ...headers })
  }
}

/** Excludes a page for users, and its errors, from cross-origin access. */
export function sameOriginOnly({ context }: H3Event): void {
  context.isWithheld = true
}
