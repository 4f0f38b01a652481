import { AuthError } from './auth-error.ts'

/** A body that is no JSON, or a field of the wrong JSON type. */
export const badJson = (detail: string): AuthError =>
  new AuthError('bad_json', 400, `Could not parse request body as JSON: ${detail}`)

/** A field that is missing or whose value breaks a rule. The message names it. */
export const validationFailed = (message: string, status = 400): AuthError =>
  new AuthError('validation_failed', status, message)

export const bodyTooLarge = (maxBodyBytes: number): AuthError =>
  new AuthError(
    'request_entity_too_large',
    413,
    `Request body too large (max ${maxBodyBytes} bytes)`,
  )

/** The request was not done within its time. What it asked for may happen all the same. */
export const requestTimeout = (): AuthError =>
  new AuthError(
    'request_timeout',
    504,
    'Processing this request timed out, please retry after a moment.',
  )

export const notFound = (): AuthError =>
  new AuthError('not_found', 404, 'There is no such endpoint')

export const methodNotAllowed = (allowedMethods: readonly string[]): AuthError =>
  new AuthError('method_not_allowed', 405, `This endpoint answers ${allowedMethods.join(', ')}`, {
    allowedMethods,
  })

/** A resource that is needed cannot be had right now: the database, or room in a queue. */
export const serviceUnavailable = (message: string, cause?: unknown): AuthError =>
  new AuthError('service_unavailable', 503, message, { retryAfterSeconds: 1 }, { cause })

/** Two requests wanted to change the same thing; this one came second. */
export const conflict = (message: string, cause?: unknown): AuthError =>
  new AuthError('conflict', 409, message, {}, { cause })

/** Something of ours went wrong, of which the caller learns nothing more. */
export const unexpectedFailure = (): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    'Unexpected failure, please check server logs for more information',
  )

export const noAuthorization = (): AuthError =>
  new AuthError('no_authorization', 401, 'This endpoint requires a valid Bearer token')
