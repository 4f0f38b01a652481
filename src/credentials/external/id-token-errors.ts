import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'

/** An error in the form of OAuth on the wire. Its `error` contains a space, as in the reference. */
const refused = (
  code: AuthErrorCode,
  message: string,
  { word = 'invalid request', cause }: { word?: string; cause?: unknown } = {},
): AuthError => new AuthError(code, 400, message, { oauthError: word }, { cause })

export const idTokenRequired = (): AuthError => refused('validation_failed', 'id_token required')

export const providerRequired = (): AuthError =>
  refused('validation_failed', 'provider or client_id and issuer required')

export const linkingNeedsToken = (): AuthError =>
  refused('no_authorization', 'Linking requires a valid user access token in Authorization')

/** @param cause the defect of the token, for the log only. */
export const badIdTokenSent = (cause: unknown): AuthError =>
  refused('invalid_credentials', 'Bad ID token', { cause })

/** A token without a nonce that was already used to sign in. */
export const idTokenSpent = (): AuthError =>
  badIdTokenSent(new Error('id token without a nonce was used before'))

export const subjectMissing = (): AuthError =>
  refused('invalid_credentials', 'Missing sub claim in id_token')

export const unacceptableAudience = (audiences: readonly string[]): AuthError => {
  const shown = audiences.slice(0, 10).map((audience) => audience.slice(0, 200))
  return refused('invalid_credentials', `Unacceptable audience in id_token: [${shown.join(' ')}]`)
}

export const nonceOnOneSide = (): AuthError =>
  refused(
    'validation_failed',
    'Passed nonce and nonce in id_token should either both exist or not.',
  )

export const nonceMismatch = (): AuthError =>
  refused('invalid_credentials', 'Nonces mismatch', { word: 'invalid nonce' })

export const providerNotEnabled = (issuer: string): AuthError =>
  new AuthError(
    'provider_disabled',
    400,
    `Provider (issuer "${issuer.slice(0, 200)}") is not enabled`,
  )

export const issuerNotAccepted = (message: string): AuthError =>
  new AuthError('validation_failed', 400, message)

/** @param provider a known name; null for any other, since the request may contain any text. */
export const unknownIdTokenProvider = (provider: string | null): AuthError =>
  new AuthError(
    'validation_failed',
    400,
    provider === null
      ? 'Custom OIDC provider not allowed'
      : `Custom OIDC provider "${provider}" not allowed`,
  )

/** The keys of the issuer cannot be downloaded. */
export const issuerUnavailable = (cause: unknown): AuthError =>
  serviceUnavailable('The issuer of the id token is unavailable', cause)
