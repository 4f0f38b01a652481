import { AuthError } from '../../platform/errors/auth-error.ts'

/** The user has no account at the provider. */
export const identityNotFound = (): AuthError =>
  new AuthError('identity_not_found', 404, 'The user has no identity of this provider')

/** None is kept: it was not switched on, or the person has not signed in through the provider since. */
export const providerTokenNotFound = (): AuthError =>
  new AuthError('provider_token_not_found', 404, 'No token of this provider is kept')

/** The person has to sign in through the provider again. */
export const providerTokenExpired = (): AuthError =>
  new AuthError(
    'provider_token_expired',
    403,
    'The token of the provider has expired and cannot be renewed: sign in through the provider again',
  )
