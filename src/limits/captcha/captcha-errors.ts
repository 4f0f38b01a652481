import { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'

/** @param why words of the provider, or our own. */
export const captchaFailed = (why: string): AuthError =>
  new AuthError(
    'captcha_failed',
    400,
    `captcha_token: captcha protection: request disallowed (${why})`,
  )

/** Whoever verifies captchas gave no usable answer, so nobody is let in. */
export const captchaNotVerified = (cause: unknown): AuthError =>
  serviceUnavailable('captcha verification process failed', cause)
