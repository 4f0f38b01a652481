import { AuthError } from '../../platform/errors/auth-error.ts'

export const missingState = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'OAuth state parameter missing')

export const invalidState = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state parameter is invalid')

/** The state was never issued, or was consumed. */
export const stateNotFound = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state not found or expired')

export const stateExpired = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state has expired')

/** The callback was received at the path of another provider. @see RFC 9700 §4.4.2.2 */
export const callbackOfAnotherProvider = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'OAuth callback of another provider')

/** The user canceled the linking of an identity. */
export const linkingCanceled = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'Linking was canceled', { oauthError: 'access_denied' })

/** The account was renamed after the confirmation page was shown. */
export const accountChanged = (): AuthError =>
  new AuthError(
    'bad_oauth_state',
    400,
    'The account was changed after the confirmation page was shown',
  )

/** The callback was received from another browser than the one that the state is bound to. */
export const stateOfAnotherBrowser = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state belongs to another browser')
