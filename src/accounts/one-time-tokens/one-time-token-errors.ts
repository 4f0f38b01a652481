import { AuthError } from '../../platform/errors/auth-error.ts'

/**
 * A code that is wrong, consumed, expired, or was never sent. One error for all prevents
 * enumeration.
 */
export const otpExpired = (): AuthError =>
  new AuthError('otp_expired', 403, 'Token has expired or is invalid')

/** A link that is wrong, consumed, expired, or was never sent. */
export const linkExpired = (): AuthError =>
  new AuthError('otp_expired', 403, 'Email link is invalid or has expired')

export const badCodeVerifier = (): AuthError =>
  new AuthError(
    'bad_code_verifier',
    400,
    'code challenge does not match previously saved code verifier',
  )

export const flowStateNotFound = (): AuthError =>
  new AuthError('flow_state_not_found', 404, 'invalid flow state, no valid flow state found')

export const flowStateExpired = (): AuthError =>
  new AuthError('flow_state_expired', 422, 'invalid flow state, flow state has expired')
