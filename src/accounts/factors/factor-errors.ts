import { AuthError } from '../../platform/errors/auth-error.ts'

/** Means of proof, as messages spell them. */
const names = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' } as const

type FactorType = keyof typeof names

export const enrollNotEnabled = (type: FactorType): AuthError =>
  new AuthError(`mfa_${type}_enroll_not_enabled`, 422, `MFA enroll is disabled for ${names[type]}`)

export const verifyNotEnabled = (type: FactorType): AuthError =>
  new AuthError(
    `mfa_${type}_verify_not_enabled`,
    422,
    `MFA verification is disabled for ${names[type]}`,
  )

/** There is none, or it is somebody else's. */
export const factorNotFound = (): AuthError =>
  new AuthError('mfa_factor_not_found', 404, 'Factor not found')

export const challengeNotFound = (): AuthError =>
  new AuthError('mfa_factor_not_found', 422, 'MFA factor with the provided challenge ID not found')

export const challengeExpired = (): AuthError =>
  new AuthError(
    'mfa_challenge_expired',
    422,
    'MFA challenge has expired, verify against another challenge or create a new challenge.',
  )

export const addressMismatch = (): AuthError =>
  new AuthError('mfa_ip_address_mismatch', 422, 'Challenge and verify IP addresses mismatch.')

const wrongProofs = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'Invalid WebAuthn credential',
  recovery_code: 'Invalid recovery code entered',
} as const

/** The proof is wrong, or was used before, or the challenge has taken all that it takes. */
export const verificationFailed = (type: FactorType | 'recovery_code'): AuthError =>
  new AuthError('mfa_verification_failed', 422, wrongProofs[type])

export const verificationRejected = (message: string): AuthError =>
  new AuthError('mfa_verification_rejected', 403, message)

export const factorNameConflict = (friendlyName: string | null): AuthError =>
  new AuthError(
    'mfa_factor_name_conflict',
    422,
    friendlyName
      ? 'friendly_name: A factor with this friendly name for this user already exists'
      : 'friendly_name: This user has a factor without a name already: give this one a name',
  )

export const tooManyFactors = (): AuthError =>
  new AuthError(
    'too_many_enrolled_mfa_factors',
    422,
    'Maximum number of verified factors reached, unenroll to continue',
  )

export const verifiedFactorExists = (): AuthError =>
  new AuthError(
    'mfa_verified_factor_exists',
    422,
    'A verified phone factor already exists, unenroll the existing factor to continue',
  )

export const recoveryCodesNotEnabled = (use: 'enroll' | 'verify'): AuthError =>
  new AuthError(
    `mfa_recovery_codes_${use}_not_enabled`,
    422,
    `MFA ${use === 'enroll' ? 'enroll' : 'verification'} is disabled for recovery codes`,
  )

export const recoveryCodesExist = (): AuthError =>
  new AuthError(
    'mfa_verified_factor_exists',
    422,
    'Recovery codes were generated already, regenerate them to replace them',
  )

/** They stand in for another factor. */
export const recoveryCodesAlone = (): AuthError =>
  new AuthError(
    'mfa_recovery_codes_sole_factor',
    422,
    'Recovery codes need another verified factor, which they stand in for',
  )

/** Too many were wrong. */
export const recoveryCodesLocked = (retryAfterSeconds: number): AuthError =>
  new AuthError('mfa_recovery_codes_locked', 429, 'Too many recovery codes were tried', {
    retryAfterSeconds,
  })
