import type { Factor } from '../../accounts/users/user.ts'
import { fields, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { limit, user } from '../http/guards.ts'

/** A new set of recovery codes. */
export interface GeneratedRecoveryCodes extends Pick<Factor, 'id' | 'friendlyName'> {
  /** The codes to show once: in lower case, without separators. Each is accepted once. */
  codes: string[]
}

export interface GenerateRecoveryCodesInput {
  accessToken: string
  /**
   * The user's name for the set. No two factors of a user have the same name. Default:
   * `Recovery codes`.
   */
  friendlyName?: string | undefined
}

export interface VerifyRecoveryCodeInput {
  accessToken: string
  /** The code as typed: letter case, white space and hyphens are ignored. */
  code: string
}

export const getRecoveryCodesEndpoint = {
  method: 'GET',
  path: '/factors/recovery-codes',
  summary: 'Returns the number of unused recovery codes of the signed-in user.',
  inCode: 'auth.api.getRecoveryCodes',
  guards: [user],
  needsRecentProof: false,
  answers: { 200: 'RecoveryCodesStatus' },
  errors: ['mfa_factor_not_found'],
} as const satisfies Endpoint

export const generateRecoveryCodesEndpoint = {
  method: 'POST',
  path: '/factors/recovery-codes',
  summary: 'Generates recovery codes, which are shown once.',
  inCode: 'auth.api.generateRecoveryCodes',
  guards: [user, limit('factor_enroll')],
  needsRecentProof: true,
  needsSession: true,
  body: fields({ friendlyName: Text }),
  isBodyOptional: true,
  answers: { 200: 'RecoveryCodes' },
  errors: [
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'mfa_recovery_codes_enroll_not_enabled',
    'mfa_recovery_codes_sole_factor',
    'mfa_verified_factor_exists',
    'reauthentication_needed',
  ],
} as const satisfies Endpoint<GenerateRecoveryCodesInput>

export const verifyRecoveryCodeEndpoint = {
  method: 'POST',
  path: '/factors/recovery-codes/verify',
  summary: 'Consumes a recovery code: the session rises to `aal2`.',
  inCode: 'auth.api.verifyRecoveryCode',
  guards: [user, limit('factor_verify')],
  needsRecentProof: false,
  needsSession: true,
  body: fields({ code: required(Text) }),
  answers: { 200: 'Session' },
  errors: [
    ...hookErrors,
    'mfa_recovery_codes_locked',
    'mfa_recovery_codes_verify_not_enabled',
    'mfa_verification_failed',
    'mfa_verification_rejected',
  ],
  conditions: {
    mfa_recovery_codes_locked: 'after too many attempts',
  },
  signInMethod: 'mfa',
} as const satisfies Endpoint<VerifyRecoveryCodeInput>

export const regenerateRecoveryCodesEndpoint = {
  method: 'POST',
  path: '/factors/recovery-codes/regenerate',
  summary: 'Generates recovery codes that replace the former ones.',
  inCode: 'auth.api.regenerateRecoveryCodes',
  guards: [user, limit('factor_enroll')],
  needsRecentProof: true,
  needsSession: true,
  answers: { 200: 'RecoveryCodes' },
  errors: [
    'insufficient_aal',
    'mfa_factor_not_found',
    'mfa_recovery_codes_enroll_not_enabled',
    'reauthentication_needed',
  ],
} as const satisfies Endpoint

export const unenrollRecoveryCodesEndpoint = {
  method: 'DELETE',
  path: '/factors/recovery-codes',
  summary: 'Removes the recovery codes.',
  inCode: 'auth.api.unenrollRecoveryCodes',
  guards: [user],
  needsRecentProof: true,
  needsSession: true,
  answers: { 200: 'UnenrolledFactor' },
  errors: ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed'],
} as const satisfies Endpoint
