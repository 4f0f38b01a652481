import { AuthError } from '../errors/auth-error.ts'

export const missingState = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'OAuth state parameter missing')

export const invalidState = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state parameter is invalid')

/** It was never made, or somebody came back with it before. */
export const stateNotFound = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state not found or expired')

export const stateExpired = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state has expired')

/** Somebody came back in another browser than they left in. */
export const stateOfAnotherBrowser = (): AuthError =>
  new AuthError('bad_oauth_state', 400, 'OAuth state belongs to another browser')
