import { AuthError } from '../../../platform/errors/auth-error.ts'
import { isError } from '../../../platform/kit/is-error.ts'

/** A provider that cannot be signed in with, or that nobody has heard of. */
export const unsupportedProvider = (reason: string): AuthError =>
  new AuthError('validation_failed', 400, `provider: Unsupported provider: ${reason}`)

/** A provider whose endpoints cannot be had right now. */
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

/** An authorization response of another provider than the request was sent to. @see RFC 9207 §2.4 */
export const issuerOfOtherProvider = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'iss: OAuth callback of another issuer')

/** Errors of authorization responses. @see RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6 */
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
 * The error of an authorization response. Texts of the response are passed on only where its flow is bound to the
 * browser: anyone can write them into the URL of a flow that is not.
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

/** The provider did not trade the code. */
export const codeNotExchanged = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to exchange external code', {}, { cause })

/** The provider knows no address of the person, or does not tell it. */
export const emailNotRead = (): AuthError =>
  new AuthError('unexpected_failure', 500, 'Error getting user email from external provider')

/** The provider told nothing about the person, or nothing that can be used. */
export const profileNotRead = (cause: unknown): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    'Error getting user profile from external provider',
    {},
    { cause },
  )

/** Somebody came back from a provider of OAuth 1.0a without having agreed. */
export const missingVerifier = (): AuthError =>
  new AuthError('bad_oauth_callback', 400, 'oauth_verifier: OAuth callback with missing verifier')

/** A provider of OAuth 1.0a gave nothing to send somebody there with. */
export const temporaryTokenNotIssued = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to retrieve request token', {}, { cause })

/** A provider of OAuth 1.0a did not trade the verifier. */
export const tokenNotIssued = (cause: unknown): AuthError =>
  new AuthError('unexpected_failure', 500, 'Unable to retrieve access token', {}, { cause })

/** What a provider does wrong is a failure of that sign-in, whatever it is. */
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

/** A provider does not take a grant any more: it expired, was taken back or was spent. @see RFC 6749 §5.2 */
export interface GrantRefusal extends Error {
  name: 'GrantRefusal'
}

export const grantRefusal = (): GrantRefusal =>
  Object.assign(new Error('the provider refused the grant'), { name: 'GrantRefusal' as const })

export const isGrantRefusal = (error: unknown): error is GrantRefusal =>
  isError(error) && error.name === 'GrantRefusal'
