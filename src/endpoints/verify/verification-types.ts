import type { OneTimeTokenPurpose } from '../../accounts/one-time-tokens/one-time-token.entity.ts'
import { otpExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { OneTimeTokenRow } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { ProofType } from './verify.endpoint.ts'

const emailChange = ['email_change_new', 'email_change_current'] as const

/** The purposes of mailed tokens that each type accepts. */
const mailed: Record<string, readonly OneTimeTokenPurpose[]> = {
  signup: ['confirmation'],
  invite: ['confirmation'],
  magiclink: ['recovery'],
  recovery: ['recovery'],
  email: ['confirmation', 'recovery'],
  email_change: emailChange,
  credential: ['credential'],
}

const texted: Record<string, readonly OneTimeTokenPurpose[]> = {
  sms: ['confirmation'],
  phone_change: ['phone_change'],
  credential: ['credential'],
}

/**
 * Returns the purposes that a link of this type accepts.
 *
 * @throws AuthError `validation_failed` for a type that no link has.
 */
export function purposesOfLink(type: string): readonly OneTimeTokenPurpose[] {
  const purposes = Object.hasOwn(mailed, type) ? mailed[type] : undefined
  if (!purposes) throw validationFailed('type: Invalid email verification type')
  return purposes
}

/**
 * Returns the purposes that a code of this type accepts, for this kind of address.
 *
 * @throws AuthError `otp_expired` (403) for a type that does not fit.
 */
export function purposesOfCode(
  type: string,
  kind: 'email' | 'phone',
): readonly OneTimeTokenPurpose[] {
  const known = kind === 'email' ? mailed : texted
  const purposes = Object.hasOwn(known, type) ? known[type] : undefined
  if (!purposes) throw otpExpired()
  return purposes
}

/** The type `email` accepts mailed codes of all purposes. */
export const proofTypeOf = (
  type: string,
  { purpose }: Pick<OneTimeTokenRow, 'purpose'>,
): ProofType => {
  if (type !== 'email') return type as ProofType
  return purpose === 'confirmation' ? 'signup' : 'magiclink'
}
