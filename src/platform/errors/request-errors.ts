import { AuthError } from './auth-error.ts'

/** Rejects a body that is not JSON, or a field of the wrong JSON type. */
export const badJson = (detail: string): AuthError =>
  new AuthError('bad_json', 400, `Could not parse request body as JSON: ${detail}`)

/** Rejects an argument of the wrong type, in a call of a function. */
export const badArgument = (detail: string): AuthError =>
  new AuthError('bad_json', 400, `Invalid argument: ${detail}`)

/** Rejects a field that is missing or whose value violates a rule. The message names it. */
export const validationFailed = (message: string, status = 400): AuthError =>
  new AuthError('validation_failed', status, message)

export const bodyTooLarge = (maxBodyBytes: number): AuthError =>
  new AuthError(
    'request_entity_too_large',
    413,
    `Request body too large (max ${maxBodyBytes} bytes)`,
  )

/** Rejects a request that exceeded its time limit. It may still take effect. */
export const requestTimeout = (): AuthError =>
  new AuthError(
    'request_timeout',
    504,
    'Processing this request timed out, please retry after a moment.',
    { retryAfterSeconds: 1 },
  )

export const notFound = (): AuthError =>
  new AuthError('not_found', 404, 'There is no such endpoint')

export const methodNotAllowed = (allowedMethods: readonly string[]): AuthError =>
  new AuthError('method_not_allowed', 405, `This endpoint answers ${allowedMethods.join(', ')}`, {
    allowedMethods,
  })

/**
 * Rejects a request while a required component is unavailable: the database, or capacity in a
 * queue.
 */
export const serviceUnavailable = (message: string, cause?: unknown): AuthError =>
  new AuthError('service_unavailable', 503, message, { retryAfterSeconds: 1 }, { cause })

/** Rejects a request because too many are being served. */
export const tooManyRequests = (): AuthError => serviceUnavailable('Too many requests at once')

/** Rejects the second of two requests that change the same resource. */
export const conflict = (message: string, cause?: unknown): AuthError =>
  new AuthError('conflict', 409, message, {}, { cause })

/** Reports a fault without details. */
export const unexpectedFailure = (): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    'Unexpected failure, please check server logs for more information',
  )

export const noAuthorization = (): AuthError =>
  new AuthError('no_authorization', 401, 'This endpoint requires a valid Bearer token')

/** Rejects a call for the user of a request whose cookies contain no session. */
export const noCookieSession = (): AuthError =>
  new AuthError('no_authorization', 401, 'The request has no session in its cookies: sign in first')
