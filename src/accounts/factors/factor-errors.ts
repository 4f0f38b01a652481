import { AuthError, type AuthErrorDetails } from '../../platform/errors/auth-error.ts'
import {
  type ChallengedFactorType,
  type FactorType,
  factorKinds,
  factorSwitchError,
} from '../../platform/factor-kinds/factor-kinds.ts'

export const enrollNotEnabled = (type: ChallengedFactorType): AuthError =>
  new AuthError(
    factorSwitchError(type, 'enroll'),
    422,
    `MFA enroll is disabled for ${factorKinds[type].errorName}`,
  )

export const verifyNotEnabled = (type: ChallengedFactorType): AuthError =>
  new AuthError(
    factorSwitchError(type, 'verify'),
    422,
    `MFA verification is disabled for ${factorKinds[type].errorName}`,
  )

/** The factor does not exist, or belongs to another user. */
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

/** The output is wrong or was used before, or the challenge accepts no further output. */
export const verificationFailed = (type: FactorType): AuthError =>
  new AuthError(
    'mfa_verification_failed',
    422,
    type === 'recovery_code' ? 'Invalid recovery code entered' : factorKinds[type].wrongOutput,
  )

/** The error of an attempt that a hook rejects. */
export const verificationRejected = (message: string, details: AuthErrorDetails): AuthError =>
  new AuthError('mfa_verification_rejected', 403, message, details)

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

export const verifiedFactorExists = (type: ChallengedFactorType): AuthError =>
  new AuthError(
    'mfa_verified_factor_exists',
    422,
    `A verified ${factorKinds[type].errorName.toLowerCase()} factor already exists, unenroll the existing factor to continue`,
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

/** Recovery codes replace another factor, which the user has to have. */
export const recoveryCodesAlone = (): AuthError =>
  new AuthError(
    'mfa_recovery_codes_sole_factor',
    422,
    'Recovery codes need another verified factor, which they stand in for',
  )

/** Too many submitted codes were wrong. */
export const recoveryCodesLocked = (retryAfterSeconds: number): AuthError =>
  new AuthError('mfa_recovery_codes_locked', 429, 'Too many recovery codes were tried', {
    retryAfterSeconds,
  })
