import { AuthError } from '../../../platform/errors/auth-error.ts'
import { isError } from '../../../platform/kit/is-error.ts'

/** An unknown or disabled provider. */
export const unsupportedProvider = (reason: string): AuthError =>
  new AuthError('validation_failed', 400, `provider: Unsupported provider: ${reason}`)

/** A provider whose endpoints cannot be determined at the moment. */
export const endpointsNotRead = (cause: unknown): AuthError =>
  new AuthError(
    'validation_failed',
    400,
    'provider: Unsupported provider: its endpoints could not be looked up',
    {},
    { cause },
  )

export const missingCode = (): AuthError =>
  new AuthError(
    'bad_oauth_callback',
    400,
    'code: OAuth callback with missing authorization code missing',
  )

/**
 * An authorization response of another provider than the one that received the request.
 * @see RFC 9207 §2.4
 */
export const issuerOfOtherProvider = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'iss: OAuth callback of another issuer')

/**
 * Error codes of authorization responses. @see RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6
 */
const registeredErrors: readonly string[] = [
  'invalid_request',
  'unauthorized_client',
  'access_denied',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
]

/** The form of an error code that a provider may define. @see RFC 6749 §4.1.2.1 */
const errorForm = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/

/**
 * The error of an authorization response. Texts of the response are passed on only if its flow is
 * bound to the browser: an attacker can write any text into the URL of another flow.
 */
export function rejectedByProvider(
  { error, description }: { error: string; description: string },
  isBound: boolean,
): AuthError {
  const isKnown = isBound ? errorForm.test(error) : registeredErrors.includes(error)
  return new AuthError(
    'bad_oauth_callback',
    400,
    isBound ? description.slice(0, 500) : 'The provider returned an error',
    { oauthError: isKnown ? error : 'server_error' },
  )
}

/** An authorization response without the issuer that the provider announces. @see RFC 9207 §2.4 */
export const issuerMissing = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'iss: OAuth callback without the issuer')

/** The provider did not exchange the code. */
export const codeNotExchanged = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to exchange external code', {}, { cause })

/** The provider returned no address of the user. */
export const emailNotRead = (): AuthError =>
  new AuthError('unexpected_failure', 500, 'Error getting user email from external provider')

/** The provider returned no profile, or an unusable one. */
export const profileNotRead = (cause: unknown): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    'Error getting user profile from external provider',
    {},
    { cause },
  )

/** A callback of OAuth 1.0a without the user's consent. */
export const missingVerifier = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'oauth_verifier: OAuth callback with missing verifier')

/** An OAuth 1.0a provider issued no temporary token for the authorization request. */
export const temporaryTokenNotIssued = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to retrieve request token', {}, { cause })

/** An OAuth 1.0a provider did not exchange the verifier. */
export const tokenNotIssued = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to retrieve access token', {}, { cause })

/** Converts any exception during the work into the failure of this sign-in. */
export async function orThrow<T>(
  failure: (cause: unknown) => AuthError,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AuthError ? error : failure(error)
  }
}

/**
 * The provider no longer accepts a grant: it has expired, was revoked or was used.
 * @see RFC 6749 §5.2
 */
export interface GrantRejection extends Error {
  name: 'GrantRejection'
}

export const grantRejection = (): GrantRejection =>
  Object.assign(new Error('the provider rejected the grant'), { name: 'GrantRejection' as const })

export const isGrantRejection = (error: unknown): error is GrantRejection =>
  isError(error) && error.name === 'GrantRejection'
