import {
  appendCorsPreflightHeaders,
  type CorsOptions,
  type H3,
  type H3Event,
  isPreflightRequest,
  noContent,
} from 'h3'
import { apiVersionHeader } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Scripts of other origins may neither ask nor read. */
    isWithheld?: boolean
  }
}

/** Headers that browsers may send from any origin. */
const requestHeaders = [
  ...['Accept', 'Authorization', 'Content-Type', 'Origin', 'X-Client-IP', 'X-Client-Info'],
  ...['X-JWT-AUD', 'x-use-cookie', 'X-Supabase-Api-Version', 'apikey'],
]

/** Headers of every answer that scripts may read. */
export const exposedHeaders = ['X-Total-Count', 'Link', apiVersionHeader, requestIdHeader].join(',')

/**
 * Lets scripts of any origin call, without credentials: the wire reads no cookie, so a foreign page
 * gains nothing that it could not do from its own server. This answers what they ask before; that they
 * may read an answer is said by each.
 */
export function allowAnyOrigin(app: H3, furtherHeaders: readonly string[]): void {
  const options: CorsOptions = {
    origin: '*',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [...requestHeaders, ...furtherHeaders],
  }
  app.use((event, next) => {
    if (event.context.isWithheld || !isPreflightRequest(event)) return next()
    appendCorsPreflightHeaders(event, options)
    return noContent()
  })
}

/** Makes an exception of what is for people alone, whether it is shown or refused. */
export function withholdFromOtherOrigins({ context }: H3Event): void {
  context.isWithheld = true
}
