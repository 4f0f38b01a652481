import type { H3Event } from 'h3'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { type Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { apiVersionHeader, presentError } from '../../../platform/http/present-error.ts'

interface ErrorForm {
  /** Returns the value of `error` for an error that has none. */
  errorOf(error: AuthError): string
  /** Returns further headers. */
  headersOf?(error: string): Record<string, string>
  /** Returns the status. Default: 400, and that of the error for `invalid_client`. */
  statusOf?(error: string): number
}

/**
 * Returns the response of work, with its rejections in the form of OAuth. A fault and an
 * unavailable service are reported as elsewhere.
 *
 * @see RFC 6749 §5.2
 */
export async function inOauthForm(
  event: H3Event,
  { errorOf, headersOf, statusOf }: ErrorForm,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500 || error.status === 429) throw error
    const name = error.details.oauthError ?? errorOf(error)
    // 401 only for a client that failed to authenticate.
    const own = name === 'invalid_client' || error.status === 413 ? error.status : 400
    const status = statusOf?.(name) ?? own
    const details = { ...error.details, oauthError: name }
    const presented = presentError(new AuthError(error.code, status, error.message, details), {
      requestId: event.context.requestId ?? '',
      apiVersion: event.req.headers.get(apiVersionHeader),
    })
    event.context.errorCode = error.code
    const headers = { ...presented.headers, ...headersOf?.(name), ...notStored }
    return jsonAnswer(presented.status, presented.body, headers)
  }
}

/** Rejected refresh tokens are invalid grants; any other error concerns the request. */
const errorOfTokenRequest = ({ code }: AuthError): string =>
  code === 'validation_failed' || code === 'bad_json' || code === 'request_entity_too_large'
    ? 'invalid_request'
    : 'invalid_grant'

/** @see RFC 6749 §5.2 */
const tokenErrorHeaders = (error: string): Record<string, string> =>
  error === 'invalid_client' ? { 'www-authenticate': 'Basic realm="oauth"' } : {}

/** The form of errors of a request for tokens. */
export const tokenForm: ErrorForm = { errorOf: errorOfTokenRequest, headersOf: tokenErrorHeaders }

/** The headers of a response with tokens. @see RFC 6749 §5.1 */
export const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' } as const
