import { type H3Event, isPreflightRequest } from 'h3'
import { Answer } from './answer.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Scripts of other origins may neither ask nor read. */
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
]

/** Answers what a browser asks before a script of another origin may call; throws for any other request. */
export type AnswerPreflight = (event: H3Event, refusal: () => Error) => Answer

/**
 * Lets scripts of any origin call, without credentials: the wire reads no cookie, so a foreign page
 * gains nothing that it could not do from its own server. This answers what they ask before; that they
 * may read an answer is said by each.
 */
export function allowAnyOrigin(furtherHeaders: readonly string[]): AnswerPreflight {
  const headers = {
    'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
    'access-control-allow-headers': [...requestHeaders, ...furtherHeaders].join(','),
    vary: 'access-control-request-headers',
  }
  return (event, refusal) => {
    if (event.context.isWithheld || !isPreflightRequest(event)) throw refusal()
    return new Answer(204, { ...headers })
  }
}

/** Makes an exception of what is for people alone, whether it is shown or refused. */
export function sameOriginOnly({ context }: H3Event): void {
  context.isWithheld = true
}
