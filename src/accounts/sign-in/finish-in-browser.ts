import { AuthError } from '../../platform/errors/auth-error.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { isLogged } from '../../platform/observability/logged-faults.ts'
import type { AuthContext } from '../auth-context.ts'
import { rejection } from '../decisions/decision.ts'
import type { RequestFacts } from '../request-facts.ts'
import type { SessionTokens } from '../sessions/session-info.ts'

/** The outcome of a browser flow. */
export type BrowserOutcome =
  /** A session, with further parameters for the client. */
  | { session: SessionTokens; facts: Readonly<Record<string, string>> }
  | { code: string }
  /** One of two addresses has confirmed a change. */
  | 'half-confirmed'

/** The end of a browser flow. */
export interface BrowserFlow {
  /** The request that ends the flow. */
  request: Pick<RequestFacts, 'decided'>
  /** The redirect target, which is permitted. */
  target: string
  /**
   * Whether the client reads the outcome from the query, too, as a client that exchanges a code
   * does.
   */
  readsQuery: boolean
  /**
   * Returns the parameters that report an error; null for an error that is thrown to the caller.
   */
  describe?: (error: unknown) => Record<string, string> | null
}

/**
 * Runs a browser flow and returns the URL that ends it: the target with the outcome or the error.
 */
export async function finishInBrowser(
  flow: BrowserFlow,
  run: () => Promise<BrowserOutcome>,
): Promise<string> {
  try {
    return withOutcome(flow, await run())
  } catch (error) {
    return withRejection(flow, error)
  }
}

/** Returns the target with the outcome of a flow. */
export function withOutcome(
  { target, readsQuery }: Pick<BrowserFlow, 'target' | 'readsQuery'>,
  outcome: BrowserOutcome,
): string {
  if (outcome === 'half-confirmed') return withFirstConfirmationNotice(target, readsQuery)
  return 'code' in outcome
    ? withCode(target, outcome.code)
    : withSession(target, outcome.session, outcome.facts)
}

/**
 * Returns the target with the error of a flow, or throws an error that is not described to clients.
 */
export function withRejection(
  { request, target, readsQuery, describe = describeRejection }: BrowserFlow,
  error: unknown,
): string {
  const facts = describe(error)
  if (!facts) throw error
  noteRejection(request, error)
  return withError(target, facts, readsQuery)
}

/**
 * Records a rejection that only the URL of the redirect reports, not the status of the response.
 */
export function noteRejection(request: Pick<RequestFacts, 'decided'>, error: unknown): void {
  if (error instanceof AuthError) request.decided(rejection(error.code))
}

/** Returns parameters in the order of their names, as the wire has always sent them. */
const parameters = (values: Record<string, string>): URLSearchParams => {
  const sorted = new URLSearchParams(values)
  sorted.sort()
  return sorted
}

/** Returns the target with a session in its fragment, which is not sent to any server. */
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

/** Returns the target with a code in its query. Its own fragment stays. */
const withCode = (target: string, code: string): string => withQuery(target, { code })

const halfway = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** Returns the target with the message that one of two addresses has confirmed. */
const withFirstConfirmationNotice = (target: string, readsQuery: boolean): string =>
  withFragment(readsQuery ? withQuery(target, { message: halfway }) : target, {
    message: halfway,
    sb: '',
  })

/** The errors of OAuth by status. @see RFC 6749 §4.1.2.1 */
const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** Returns the parameters that report a rejection; null for a fault, which the response reports. */
function describeRejection(error: unknown): Record<string, string> | null {
  if (!(error instanceof AuthError) || error.status >= 500) return null
  const { code, status, message } = error
  const name = oauthErrors[status]
  return { ...(name && { error: name }), error_code: code, error_description: message }
}

/**
 * Returns the parameters that report an error of a flow through a provider. A fault is logged and
 * reported without details: no response of the provider's page would show it.
 */
export function describeFailure(
  { logger, request }: Pick<AuthContext, 'logger' | 'request'>,
  error: unknown,
  provider: string | null = null,
): Record<string, string> {
  const fields = { requestId: request.id, provider, fault: describeFault(error) }
  if (!(error instanceof AuthError)) {
    if (!isLogged(error)) logger.error(fields, 'request failed')
    return {
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unexpected failure, please check server logs for more information',
    }
  }
  const { code, status, message, details } = error
  if (details.oauthError) {
    return { error: details.oauthError, ...(message && { error_description: message }) }
  }
  if (status >= 500 && !isLogged(error)) logger.warn(fields, 'sign-in failed')
  return {
    error: denials.includes(code) ? 'access_denied' : (oauthErrors[status] ?? 'server_error'),
    error_code: code,
    error_description: message,
    ...(details.stepUp && { step_up: details.stepUp }),
  }
}

const denials: readonly string[] = [
  'signup_disabled',
  'user_banned',
  'provider_email_needs_verification',
]

/** Returns the target with the parameters of an error. */
const withError = (
  target: string,
  facts: Readonly<Record<string, string>>,
  readsQuery: boolean,
): string => withFragment(readsQuery ? withQuery(target, facts) : target, { ...facts, sb: '' })

const withoutFragment = (target: string): string => target.replace(/#.*$/s, '')

const withFragment = (target: string, facts: Record<string, string>): string =>
  `${withoutFragment(target)}#${parameters(facts)}`

/**
 * Adds parameters to the query of a target. Custom schemes are not parsed by `URL`, so the text is
 * split here.
 */
export function withQuery(target: string, facts: Readonly<Record<string, string>>): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(target) ?? []
  const sorted = new URLSearchParams(query)
  for (const [name, value] of Object.entries(facts)) sorted.set(name, value)
  sorted.sort()
  return `${path}?${sorted}${fragment}`
}
