import type { AuthError } from '../../platform/errors/auth-error.ts'
import { methodNotAllowed } from '../../platform/errors/request-errors.ts'
import { requestIdHeader } from '../../platform/http/common-headers.ts'
import { apiVersionHeader, presentError } from '../../platform/http/present-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { RequestCookies } from './cookie-jar.ts'

const jsonHeaders = {
  'content-type': 'application/json;charset=UTF-8',
  'x-content-type-options': 'nosniff',
}

export const answerJson = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: jsonHeaders })

/** Adds cookies to a response. Other origins must not read it, and caches must not store it. */
export function withCookies(cookies: RequestCookies, answer: Response): Response {
  const headers = new Headers(answer.headers)
  for (const name of [...headers.keys()])
    if (name.startsWith('access-control-') || name === 'content-length') headers.delete(name)
  for (const one of cookies.setCookieHeaders()) headers.append('set-cookie', one)
  headers.set('cache-control', 'private, no-store')
  const { status, statusText } = answer
  return new Response(answer.body, { status, statusText, headers })
}

/** Returns the wire form of a rejection. */
export function answerError(error: AuthError, request: Pick<Request, 'headers'>): Response {
  const requestId = crypto.randomUUID()
  const apiVersion = request.headers.get(apiVersionHeader)
  const { status, headers, body } = presentError(error, { requestId, apiVersion })
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, ...jsonHeaders, [requestIdHeader]: requestId },
  })
}

/** Returns the code of an error, in either form of the wire. */
export function errorCodeOf(body: unknown): string {
  if (!isRecord(body)) return ''
  return String(typeof body['code'] === 'string' ? body['code'] : body['error_code'])
}

const forbidden = /^(?:connect|trace|track)$/i

const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Returns the response to a method that no `Request` can have; null for any other. @see Fetch
 * standard, "forbidden method"
 */
export const rejectForbiddenMethod = (request: Pick<Request, 'method' | 'headers'>) =>
  forbidden.test(request.method) ? answerError(methodNotAllowed(allowed), request) : null
