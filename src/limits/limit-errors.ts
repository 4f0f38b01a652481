import { AuthError } from '../errors/auth-error.ts'

export const overRequestRateLimit = (retryAfterSeconds: number): AuthError =>
  new AuthError('over_request_rate_limit', 429, 'Request rate limit reached', { retryAfterSeconds })

/** The interval since the last message to the same address is not over. */
export const sentTooRecently = (kind: 'email' | 'sms', restSeconds: number): AuthError =>
  new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    `For security purposes, you can only request this after ${Math.floor(restSeconds)} seconds.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(restSeconds)) },
  )

/** The service has sent all that it may for now. */
export const overSendRateLimit = (kind: 'email' | 'sms', restSeconds: number): AuthError =>
  new AuthError(
    `over_${kind}_send_rate_limit`,
    429,
    kind === 'email' ? 'email rate limit exceeded' : 'SMS rate limit exceeded',
    { retryAfterSeconds: Math.max(1, Math.ceil(restSeconds)) },
  )
