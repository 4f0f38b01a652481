import { AuthError } from '../platform/errors/auth-error.ts'

export const overRequestRateLimit = (retryAfterSeconds: number): AuthError =>
  new AuthError('over_request_rate_limit', 429, 'Request rate limit reached', { retryAfterSeconds })

/** The interval since the last message to the same address has not passed. */
export function sentTooRecently(kind: 'email' | 'sms', restSeconds: number): AuthError {
  const retryAfterSeconds = wholeSeconds(restSeconds)
  return new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )
}

/** The send budget of the service is used up. */
export const overSendRateLimit = (kind: 'email' | 'sms', restSeconds: number): AuthError =>
  new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    kind === 'email' ? 'email rate limit exceeded' : 'SMS rate limit exceeded',
    { retryAfterSeconds: wholeSeconds(restSeconds) },
  )

/**
 * Rounds up, so that a client that waits this long is not rejected again by a fraction of a second.
 */
const wholeSeconds = (seconds: number): number => Math.max(1, Math.ceil(seconds))
