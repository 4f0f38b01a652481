import { AuthError } from '../platform/errors/auth-error.ts'

export const overRequestRateLimit = (retryAfterSeconds: number): AuthError =>
  new AuthError('over_request_rate_limit', 429, 'Request rate limit reached', { retryAfterSeconds })

/** The interval since the last message to the same address is not over. */
export function sentTooRecently(kind: 'email' | 'sms', restSeconds: number): AuthError {
  const retryAfterSeconds = wholeSeconds(restSeconds)
  return new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )
}

/** The service has sent all that it may for now. */
export const overSendRateLimit = (kind: 'email' | 'sms', restSeconds: number): AuthError =>
  new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    kind === 'email' ? 'email rate limit exceeded' : 'SMS rate limit exceeded',
    { retryAfterSeconds: wholeSeconds(restSeconds) },
  )

/** Rounded up: whoever waits that long is not refused again for a fraction of a second. */
const wholeSeconds = (seconds: number): number => Math.max(1, Math.ceil(seconds))
