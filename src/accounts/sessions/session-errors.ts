import { AuthError, type StepUpAction } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { subjectNotFound, userBanned } from '../users/user-errors.ts'
import type { SessionEnding, TokenEnding } from './session-ending.sql.ts'

const refreshMessage = (detail: string): string => `Invalid Refresh Token: ${detail}`

export const malformedRefreshToken = (): AuthError =>
  validationFailed('refresh_token: Refresh token is not valid')

export const refreshTokenNotFound = (): AuthError =>
  new AuthError('refresh_token_not_found', 400, refreshMessage('Refresh Token Not Found'))

export const refreshTokenAlreadyUsed = (): AuthError =>
  new AuthError('refresh_token_already_used', 400, refreshMessage('Already Used'))

/** The counter of the token exceeds that of its session. */
export const refreshTokenNotIssued = (): AuthError =>
  validationFailed(refreshMessage('Not Issued By This Server'))

/** The rules of the configuration that end sessions. */
type Rule = Extract<SessionEnding, 'expired' | 'inactive' | 'weak' | 'superseded'>

const endings: Record<Rule, string> = {
  expired: 'Session Expired',
  inactive: 'Session Expired (Inactivity)',
  weak: 'Session Expired (Low AAL: User Needs MFA Verification)',
  superseded: 'Session Expired (Revoked by Newer Login)',
}

export const sessionExpired = (ending: Rule): AuthError =>
  new AuthError('session_expired', 400, refreshMessage(endings[ending]))

/** A rule has ended the session of an access token. */
const sessionNoLongerValid = (): AuthError =>
  new AuthError('session_expired', 403, 'Session is no longer valid')

export const userBannedAtRefresh = (): AuthError =>
  new AuthError('user_banned', 400, refreshMessage('User Banned'))

/** The session belongs to an OAuth client, or to another one. @see RFC 6749 §6 */
export const clientRequired = (): AuthError =>
  new AuthError('invalid_credentials', 400, 'Client authentication required for OAuth session', {
    oauthError: 'invalid_client',
  })

export const sessionNotFound = (): AuthError =>
  new AuthError('session_not_found', 403, 'Session from session_id claim in JWT does not exist')

/** A user with a second factor has to use it first. The same applies to the seven errors below. */
export const stepUpNeededToEnroll = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to enroll a new factor')

export const stepUpNeededToGenerate = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to generate recovery codes')

export const stepUpNeededToUnenroll = (): AuthError =>
  new AuthError('insufficient_aal', 422, 'AAL2 required to unenroll verified factor')

export const stepUpNeededToUpdate = (): AuthError =>
  new AuthError(
    'insufficient_aal',
    401,
    'AAL2 session is required to update email or password when MFA is enabled.',
  )

export const stepUpNeededToDelete = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to delete the user')

export const stepUpNeededForToken = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to get the token of a provider')

export const stepUpNeededToLink = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to link or unlink an identity')

export const stepUpNeededToConsent = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to grant access to an application')

export const stepUpNeededToOperate = (): AuthError =>
  new AuthError('insufficient_aal', 403, 'AAL2 required to act as an operator')

/** The host requires a second factor, and the user has none yet. */
export const factorNeeded = (): AuthError =>
  new AuthError('mfa_factor_not_found', 403, 'A second factor has to be enrolled first', {
    stepUp: 'enroll',
  })

/**
 * The host requires a second factor that the session has not used. With null, the factors of the
 * user are not known.
 */
export const proofOfFactorNeeded = (hasFactor: boolean | null): AuthError =>
  new AuthError(
    'insufficient_aal',
    403,
    'AAL2 required',
    hasFactor === null ? {} : { stepUp: 'verify' },
  )

/** The newest proof of a factor is too old. */
export const newerProofNeeded = (stepUp: StepUpAction): AuthError =>
  new AuthError(
    'reauthentication_needed',
    403,
    stepUp === 'verify'
      ? 'The second factor has to be shown again'
      : 'Signing in again is required, and the second factor has to be shown',
    { stepUp },
  )

/** The host requires a newer sign-in. */
export const newerSignInNeeded = (): AuthError =>
  new AuthError('reauthentication_needed', 403, 'Signing in again is required', {
    stepUp: 'sign_in',
  })

/** The requested session is not one of the user's own. */
export const noSuchSession = (): AuthError =>
  new AuthError('session_not_found', 404, 'Session not found')

const errors: Record<TokenEnding, () => AuthError> = {
  deleted: subjectNotFound,
  unknown: sessionNotFound,
  banned: userBanned,
  revoked: sessionNotFound,
  expired: sessionNoLongerValid,
  inactive: sessionNoLongerValid,
  weak: sessionNoLongerValid,
  superseded: sessionNoLongerValid,
}

/**
 * Rejects a token whose session or user has ended, though the token itself has not expired.
 *
 * @throws AuthError `user_not_found`, `session_not_found`, `user_banned`, `session_expired` (403).
 */
export function requireLiveSession(ending: TokenEnding | null): void {
  if (ending !== null) throw errors[ending]()
}
