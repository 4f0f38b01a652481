import {
  AuthError,
  type AuthErrorDetails,
  type WeakPasswordReason,
} from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'

/** The reason why a password is rejected as a new one. */
export interface PasswordWeakness {
  message: string
  reasons: WeakPasswordReason[]
}

export const weakPassword = (message: string, reasons: readonly WeakPasswordReason[]): AuthError =>
  new AuthError('weak_password', 422, message, { weakPasswordReasons: reasons })

/** The breach check is required and cannot be made. */
export const passwordNotLookedUp = (cause: unknown): AuthError =>
  serviceUnavailable('Unable to perform password strength check with HaveIBeenPwned.org.', cause)

export const samePassword = (): AuthError =>
  new AuthError('same_password', 422, 'New password should be different from the old password.')

/** One response for known and unknown users, wrong and missing passwords. */
export const invalidCredentials = (): AuthError =>
  new AuthError('invalid_credentials', 400, 'Invalid login credentials')

/** A hook of the application rejects the sign-in, whether or not the password is correct. */
export const passwordRejected = (message: string, details: AuthErrorDetails): AuthError =>
  new AuthError('invalid_credentials', 400, message, details)

const currentPasswordText = 'Current password required when setting new password.'

export const currentPasswordRequired = (): AuthError =>
  new AuthError('current_password_required', 400, currentPasswordText)

export const currentPasswordInvalid = (): AuthError =>
  new AuthError('current_password_invalid', 400, currentPasswordText)

/** @param message the operation that requires it, in the words of the wire. */
export const reauthenticationNeeded = (message: string): AuthError =>
  new AuthError('reauthentication_needed', 400, message)

export const reauthenticationNotValid = (): AuthError =>
  new AuthError('reauthentication_not_valid', 422, 'Nonce has expired or is invalid')

/** The password check ended with an error, or because the service is stopping. */
export const hashingStopped = (cause?: unknown): AuthError =>
  serviceUnavailable('Passwords cannot be checked, please retry after a moment', cause)

/** More passwords wait for a check than can be made within reasonable time. */
export const hashingBusy = (): AuthError =>
  serviceUnavailable('Too many passwords are being checked, please retry after a moment')
