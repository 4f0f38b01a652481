import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'

export const passkeyDisabled = (): AuthError =>
  new AuthError('passkey_disabled', 404, 'Passkeys are disabled')

/** The configuration does not allow accounts with only a passkey. */
export const passkeySignUpDisabled = (): AuthError =>
  new AuthError('signup_disabled', 422, 'Signups by passkey are disabled')

export const tooManyPasskeys = (): AuthError =>
  new AuthError('too_many_passkeys', 422, 'Maximum number of passkeys reached')

/** The passkey does not exist, or belongs to another user. */
export const passkeyNotFound = (): AuthError => validationFailed('Passkey not found', 404)

/** The user could not sign in without it. */
export const lastPasskeyNotDeletable = (): AuthError =>
  new AuthError(
    'single_identity_not_deletable',
    422,
    'User must have another passkey, an address or an identity to sign in with',
  )

export const credentialExists = (): AuthError =>
  new AuthError('webauthn_credential_exists', 422, 'This credential is already registered')

/** The challenge does not exist, was consumed, or belongs to another user or session. */
export const challengeNotFound = (): AuthError =>
  new AuthError('webauthn_challenge_not_found', 400, 'Challenge not found or already used')

export const challengeExpired = (): AuthError =>
  new AuthError('webauthn_challenge_expired', 400, 'Challenge has expired')

export const credentialRefused = (): AuthError =>
  new AuthError('webauthn_verification_failed', 400, 'Credential verification failed')

export const stepUpNeededForPasskeys = (): AuthError =>
  new AuthError(
    'insufficient_aal',
    403,
    'AAL2 session is required to manage passkeys when MFA is enabled',
  )

/** Users of single sign-on sign in only through their provider. */
export const ssoUserWithoutPasskeys = (): AuthError =>
  validationFailed('SSO users cannot register passkeys', 422)

/** The account of a passkey has an address, and no confirmed one. */
export const addressNotConfirmedAtSignIn = (kind: 'email' | 'phone'): AuthError =>
  new AuthError(
    `${kind}_not_confirmed`,
    403,
    `${kind === 'email' ? 'Email' : 'Phone'} not confirmed`,
  )
