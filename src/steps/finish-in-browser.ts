import { refusal } from '../decisions/decision.ts'
import type { RequestFacts } from '../deps.ts'
import { AuthError } from '../errors/auth-error.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'

/** What came of a journey that began with a link. */
export type BrowserOutcome =
  /** With what else the client is told. */
  | { session: SessionTokens; facts: Readonly<Record<string, string>> }
  | { code: string }
  /** One of two addresses has confirmed a change. */
  | 'half-confirmed'

interface Journey {
  /** Of whoever arrives. */
  request: Pick<RequestFacts, 'decided'>
  /** Where the browser goes, which is permitted. */
  target: string
  /** Whether the client looks for what came of it in the query, too: who trades a code does. */
  readsQuery: boolean
  /** What the client is told of a refusal; what is no refusal is thrown on, unless it is told of as well. */
  describe?: (error: unknown) => Record<string, string> | null
}

/**
 * The URL that ends a journey of a browser: the target with what came of it, or with why nothing did.
 *
 * @param travel brings it about; what it throws is a refusal that the page is told, or a fault.
 */
export async function finishInBrowser(
  { request, target, readsQuery, describe = describeRefusal }: Journey,
  travel: () => Promise<BrowserOutcome>,
): Promise<string> {
  try {
    const outcome = await travel()
    if (outcome === 'half-confirmed') return withHalfway(target, readsQuery)
    return 'code' in outcome
      ? withCode(target, outcome.code)
      : withSession(target, outcome.session, outcome.facts)
  } catch (error) {
    const facts = describe(error)
    if (!facts) throw error
    noteRefusal(request, error)
    return withError(target, facts, readsQuery)
  }
}

/** Keeps a refusal that a page is told in its address, where the answer itself is none. */
export function noteRefusal(request: Pick<RequestFacts, 'decided'>, error: unknown): void {
  if (error instanceof AuthError) request.decided(refusal(error.code))
}

/** Parameters in the order of their names, as they have always been sent. */
const parameters = (values: Record<string, string>): URLSearchParams => {
  const sorted = new URLSearchParams(values)
  sorted.sort()
  return sorted
}

/** The target with a session in its fragment, which is not sent to any server. */
const withSession = (
  target: string,
  session: SessionTokens,
  facts: Readonly<Record<string, string>>,
): string => {
  const fragment = parameters({
    ...facts,
    access_token: session.accessToken,
    expires_at: String(Math.floor(session.expiresAt.getTime() / 1000)),
    expires_in: String(session.expiresInSeconds),
    refresh_token: session.refreshToken,
    sb: '',
    token_type: 'bearer',
  })
  return `${withoutFragment(target)}#${fragment}`
}

/** The target with a code in its query. Its own fragment stays. */
const withCode = (target: string, code: string): string => withQuery(target, { code })

const halfway = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** The target, told that one of two addresses has confirmed. */
const withHalfway = (target: string, readsQuery: boolean): string =>
  withFragment(readsQuery ? withQuery(target, { message: halfway }) : target, {
    message: halfway,
    sb: '',
  })

/** OAuth's names for what went wrong. @see RFC 6749 §4.1.2.1 */
export const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** What somebody is told who followed a link. A fault is told by whoever answers the request. */
function describeRefusal(error: unknown): Record<string, string> | null {
  if (!(error instanceof AuthError) || error.status >= 500) return null
  const { code, status, message } = error
  const word = oauthErrors[status]
  return { ...(word && { error: word }), error_code: code, error_description: message }
}

/** The target, told what went wrong. */
const withError = (
  target: string,
  facts: Readonly<Record<string, string>>,
  readsQuery: boolean,
): string => withFragment(readsQuery ? withQuery(target, facts) : target, { ...facts, sb: '' })

const withoutFragment = (target: string): string => target.replace(/#.*$/s, '')

const withFragment = (target: string, facts: Record<string, string>): string =>
  `${withoutFragment(target)}#${parameters(facts)}`

/** Custom schemes too have a query, so the text is taken apart by hand. */
export function withQuery(target: string, facts: Readonly<Record<string, string>>): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(target) ?? []
  const sorted = new URLSearchParams(query)
  for (const [name, value] of Object.entries(facts)) sorted.set(name, value)
  sorted.sort()
  return `${path}?${sorted}${fragment}`
}
