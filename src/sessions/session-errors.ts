import { AuthError } from '../errors/auth-error.ts'
import { validationFailed } from '../errors/request-errors.ts'

const refreshMessage = (detail: string): string => `Invalid Refresh Token: ${detail}`

export const malformedRefreshToken = (): AuthError =>
  validationFailed('refresh_token: Refresh token is not valid')

export const refreshTokenNotFound = (): AuthError =>
  new AuthError('refresh_token_not_found', 400, refreshMessage('Refresh Token Not Found'))

export const refreshTokenAlreadyUsed = (): AuthError =>
  new AuthError('refresh_token_already_used', 400, refreshMessage('Already Used'))

/** The token counts further than its session ever did. */
export const refreshTokenNotIssued = (): AuthError =>
  validationFailed(refreshMessage('Not Issued By This Server'))

export const sessionExpired = (): AuthError =>
  new AuthError('session_expired', 400, refreshMessage('Session Expired'))

export const userBannedAtRefresh = (): AuthError =>
  new AuthError('user_banned', 400, refreshMessage('User Banned'))

export const sessionNotFound = (): AuthError =>
  new AuthError('session_not_found', 403, 'Session from session_id claim in JWT does not exist')
