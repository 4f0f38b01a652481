import { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'

/** @param why error codes of the provider, or a reason of ours. */
export const captchaFailed = (why: string): AuthError =>
  new AuthError(
    'captcha_failed',
    400,
    `captcha_token: captcha protection: request disallowed (${why})`,
  )

/**
 * The verifier returned no usable response. The request is rejected, so that an outage admits no
 * unverified client.
 */
export const captchaNotVerified = (cause: unknown): AuthError =>
  serviceUnavailable('captcha verification process failed', cause)
