import { AuthError } from '../errors/auth-error.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'

/** What came of a journey that began with a link. */
export type BrowserOutcome =
  /** With what the client is told that the session is for. */
  | { session: SessionTokens; type: string }
  | { code: string }
  /** One of two addresses has confirmed a change. */
  | 'half-confirmed'

interface Journey {
  /** Where the browser goes, which is permitted. */
  target: string
  /** Whether the client trades a code for a session, and looks for what came of it in the query. */
  isPkce: boolean
}

/**
 * The URL that ends a journey of a browser: the target with what came of it, or with why nothing did.
 *
 * @param travel brings it about; what it throws is a refusal that the page is told, or a fault.
 */
export async function finishInBrowser(
  { target, isPkce }: Journey,
  travel: () => Promise<BrowserOutcome>,
): Promise<string> {
  try {
    const outcome = await travel()
    if (outcome === 'half-confirmed') return withHalfway(target, isPkce)
    return 'code' in outcome
      ? withCode(target, outcome.code)
      : withSession(target, outcome.session, outcome.type)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return withError(target, error, isPkce)
  }
}

/** Parameters in the order of their names, as they have always been sent. */
const parameters = (values: Record<string, string>): URLSearchParams => {
  const sorted = new URLSearchParams(values)
  sorted.sort()
  return sorted
}

/** The target with a session in its fragment, which is not sent to any server. */
const withSession = (target: string, session: SessionTokens, type: string): string => {
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
const withCode = (target: string, code: string): string => withQuery(target, { code })

const halfway = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** The target, told that one of two addresses has confirmed. */
const withHalfway = (target: string, isPkce: boolean): string =>
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
function withError(target: string, { code, status, message }: AuthError, isPkce: boolean) {
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
