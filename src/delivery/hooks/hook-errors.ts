import { AuthError } from '../../platform/errors/auth-error.ts'

export const hookTimeout = (seconds: number): AuthError =>
  new AuthError(
    'hook_timeout',
    422,
    `Failed to reach hook within maximum time of ${seconds.toFixed(6)} seconds`,
  )

/** A function of the application did not return in time. */
export const hookTooSlow = (seconds: number): AuthError =>
  new AuthError('hook_timeout', 422, `The hook did not return within ${seconds} seconds`)

export const hookUnreachable = (cause: unknown): AuthError =>
  new AuthError(
    'hook_timeout_after_retry',
    422,
    'Failed to reach hook after maximum retries',
    {},
    { cause },
  )

export const hookAnswerTooLarge = (maxBytes: number): AuthError =>
  new AuthError(
    'hook_payload_over_size_limit',
    422,
    `Payload size exceeded size limit of ${maxBytes} bytes`,
  )

export const hookAnswerOfWrongType = (): AuthError =>
  new AuthError(
    'hook_payload_invalid_content_type',
    400,
    'Invalid JSON response: the hook must answer with the content type application/json',
  )

/** The hook failed, or is misconfigured. */
export const hookFailed = (message: string, cause?: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, message, {}, { cause })

/** The hook rejected the request, and may have stated a message. Hooks set no code. */
export function rejectedByHook(status: number, message: string | null): AuthError {
  const code = status === 500 ? 'unexpected_failure' : 'unknown'
  return message === null
    ? new AuthError(code, status, 'The request was rejected by a hook')
    : new AuthError(code, status, message, { isHookMessage: true })
}
