import type { AuthError } from '../../errors/auth-error.ts'
import type { IssuedSession } from '../../sessions/session.ts'
import type { ProofType } from './proof-type.ts'

/** Parameters in the order of their names, as they have always been sent. */
const parameters = (values: Record<string, string>): URLSearchParams => {
  const sorted = new URLSearchParams(values)
  sorted.sort()
  return sorted
}

/** The target with a session in its fragment, which is not sent to any server. */
export const withSession = (target: string, session: IssuedSession, type: ProofType): string => {
  const fragment = parameters({
    access_token: session.accessToken,
    expires_at: String(Math.floor(session.expiresAt.getTime() / 1000)),
    expires_in: String(session.expiresInSeconds),
    refresh_token: session.refreshToken,
    sb: '',
    token_type: 'bearer',
    type,
  })
  return `${withoutFragment(target)}#${fragment}`
}

/** The target with a code in its query. Its own fragment stays. */
export const withCode = (target: string, code: string): string => withQuery(target, { code })

const halfway = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** The target, told that one of two addresses has confirmed. */
export const withHalfway = (target: string, isPkce: boolean): string =>
  withFragment(isPkce ? withQuery(target, { message: halfway }) : target, {
    message: halfway,
    sb: '',
  })

/** OAuth's names for what went wrong. @see RFC 6749 §4.1.2.1 */
const oauthErrors: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** The target, told what went wrong. A client of PKCE looks for it in the query. */
export function withError(target: string, { code, status, message }: AuthError, isPkce: boolean) {
  const error = oauthErrors[status]
  const facts = { ...(error && { error }), error_code: code, error_description: message }
  return withFragment(isPkce ? withQuery(target, facts) : target, { ...facts, sb: '' })
}

const withoutFragment = (target: string): string => target.replace(/#.*$/s, '')

const withFragment = (target: string, facts: Record<string, string>): string =>
  `${withoutFragment(target)}#${parameters(facts)}`

/** Custom schemes too have a query, so the text is taken apart by hand. */
function withQuery(target: string, facts: Record<string, string>): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(target) ?? []
  const sorted = new URLSearchParams(query)
  for (const [name, value] of Object.entries(facts)) sorted.set(name, value)
  sorted.sort()
  return `${path}?${sorted}${fragment}`
}
