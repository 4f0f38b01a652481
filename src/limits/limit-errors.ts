import { AuthError } from '../errors/auth-error.ts'

export const overRequestRateLimit = (retryAfterSeconds: number): AuthError =>
  new AuthError('over_request_rate_limit', 429, 'Request rate limit reached', { retryAfterSeconds })
