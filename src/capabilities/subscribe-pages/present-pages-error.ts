import { HTTPError } from 'h3'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { RefusedEvent } from '../../platform/http/answer-request.ts'
import { SubscribePagesError } from './pages-error.ts'

/** The response to an error. */
export interface PresentedPagesError {
  status: number
  headers: Record<string, string>
  body: { message: string; errors?: Record<string, string[]> }
  /** The error code of the service, for logs; null where it has none. */
  code: string | null
}

/**
 * Returns the response to an error. Errors of the service have the same form, and a fault contains
 * no details.
 */
export function presentPagesError(thrown: unknown, { req }: RefusedEvent): PresentedPagesError {
  if (thrown instanceof SubscribePagesError) return presentOwn(thrown)
  if (thrown instanceof HTTPError && thrown.status < 500) {
    return thrown.status === 404
      ? plain(404, noRoute(req), 'not_found')
      : plain(thrown.status, 'The request is malformed', 'validation_failed')
  }
  if (!(thrown instanceof AuthError)) {
    return plain(500, 'Internal server error', 'unexpected_failure')
  }
  const { allowedMethods = [], retryAfterSeconds } = thrown.details
  switch (thrown.code) {
    case 'not_found':
      return plain(404, noRoute(req), thrown.code)
    case 'method_not_allowed': {
      const allow = allowedMethods.join(', ')
      const message = `${noRoute(req)}: Method Not Allowed (Allow: ${allow})`
      return { ...plain(405, message, thrown.code), headers: { allow } }
    }
    case 'conflict':
      return plain(thrown.status, 'Another request changed the page at the same time', thrown.code)
    // The service's message may contain a value of the request.
    case 'validation_failed':
      return plain(thrown.status, 'The request is malformed', thrown.code)
    default: {
      const headers = { ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) }
      return { ...plain(thrown.status, thrown.message, thrown.code), headers }
    }
  }
}

function presentOwn({
  status,
  message,
  violations,
  cause,
}: SubscribePagesError): PresentedPagesError {
  const body = { message, ...(violations && { errors: violations }) }
  return { status, headers: {}, body, code: cause instanceof AuthError ? cause.code : null }
}

const plain = (status: number, message: string, code: string): PresentedPagesError => ({
  status,
  headers: {},
  body: { message },
  code,
})

/** Omits the query, which may contain secrets. */
function noRoute({ method, url }: RefusedEvent['req']): string {
  const path = URL.canParse(url) ? new URL(url).pathname : '/'
  return `No route found for "${method} ${path}"`
}
