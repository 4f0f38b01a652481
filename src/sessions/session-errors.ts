import { AuthError } from '../errors/auth-error.ts'
import { validationFailed } from '../errors/request-errors.ts'
import type { SessionEnding } from './session-ending.sql.ts'

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

const endings: Record<SessionEnding, string> = {
  expired: 'Session Expired',
  inactive: 'Session Expired (Inactivity)',
  weak: 'Session Expired (Low AAL: User Needs MFA Verification)',
  superseded: 'Session Expired (Revoked by Newer Login)',
}

export const sessionExpired = (ending: SessionEnding): AuthError =>
  new AuthError('session_expired', 400, refreshMessage(endings[ending]))

/** The session behind an operator's token has ended. */
export const sessionNoLongerValid = (): AuthError =>
  new AuthError('session_expired', 403, 'Session is no longer valid')

export const userBannedAtRefresh = (): AuthError =>
  new AuthError('user_banned', 400, refreshMessage('User Banned'))

export const sessionNotFound = (): AuthError =>
  new AuthError('session_not_found', 403, 'Session from session_id claim in JWT does not exist')

/** Whoever has a second factor has to show it before this. So they have before the seven below. */
export const strongSessionNeededToEnroll = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to enroll a new factor')

export const strongSessionNeededToGenerate = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to generate recovery codes')

export const strongSessionNeededToUnenroll = (): AuthError =>
  new AuthError('insufficient_aal', 422, 'AAL2 required to unenroll verified factor')

export const strongSessionNeededToUpdate = (): AuthError =>
  new AuthError(
    'insufficient_aal',
    401,
    'AAL2 session is required to update email or password when MFA is enabled.',
  )

export const strongSessionNeededToDelete = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to delete the user')

export const strongSessionNeededForToken = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to get the token of a provider')

export const strongSessionNeededToLink = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to link or unlink an identity')

export const strongSessionNeededToOperate = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to act as an operator')

/** A user asks for a session that is not among the user's own. */
export const noSuchSession = (): AuthError =>
  new AuthError('session_not_found', 404, 'Session not found')
