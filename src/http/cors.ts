import { type H3, handleCors } from 'h3'
import { apiVersionHeader } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

/** Headers that browsers may send from any origin. */
const requestHeaders = [
  ...['Accept', 'Authorization', 'Content-Type', 'Origin', 'X-Client-IP', 'X-Client-Info'],
  ...['X-JWT-AUD', 'x-use-cookie', 'X-Supabase-Api-Version', 'apikey'],
]

/**
 * Lets scripts of any origin call, without credentials: the wire reads no cookie, so a foreign page
 * gains nothing that it could not do from its own server.
 */
export function allowAnyOrigin(app: H3, furtherHeaders: readonly string[]): void {
  const allowHeaders = [...requestHeaders, ...furtherHeaders]
  app.use((event, next) => {
    const answer = handleCors(event, {
      origin: '*',
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders,
      exposeHeaders: ['X-Total-Count', 'Link', apiVersionHeader, requestIdHeader],
    })
    return answer === false ? next() : answer
  })
}
