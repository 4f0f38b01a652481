import { usernameLength } from '../../accounts/users/username.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import type { TextKey } from './texts/en.ts'
import type { TextOf } from './texts/texts.ts'

/** The state of the forms of a page: that of a first request, or after a rejected form. */
export interface PageFormState {
  status: number
  /** The action whose form was rejected. */
  action: string | null
  /** The submitted fields, without secrets. */
  values: Readonly<Record<string, string>>
  /** Errors by field. */
  errors: Readonly<Record<string, string>>
  /** An error that concerns no single field. */
  error: string | null
}

export const noState: PageFormState = {
  status: 200,
  action: null,
  values: {},
  errors: {},
  error: null,
}

/** Whether a form was rejected. The error has the focus then. */
export const hasErrors = ({ error, errors }: PageFormState): boolean =>
  error !== null || Object.keys(errors).length > 0

/** Fields that are never displayed again. */
export const secretFields: ReadonlySet<string> = new Set([
  'password',
  'current_password',
  'new_password',
  'client_secret',
  'code',
  'nonce',
  'credential',
  'form_token',
])

export const valuesOf = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...form].filter(([name]) => !secretFields.has(name)))

/** The field that an error concerns, by its code. */
const fieldOf: Readonly<Record<string, readonly string[]>> = {
  weak_password: ['new_password', 'password'],
  same_password: ['new_password', 'password'],
  email_address_invalid: ['email', 'identifier'],
  email_address_not_authorized: ['email', 'identifier'],
  email_exists: ['email'],
  user_already_exists: ['email', 'phone'],
  username_exists: ['username'],
  phone_exists: ['phone'],
  current_password_invalid: ['current_password', 'password'],
  current_password_required: ['current_password'],
  reauthentication_not_valid: ['nonce'],
  otp_expired: ['code'],
  mfa_verification_failed: ['code'],
  mfa_factor_name_conflict: ['name'],
}

/** The fields of forms whose values have another name in the API, by that name. */
const formNames: Readonly<Record<string, string>> = {
  data: 'name',
  user_metadata: 'name',
}

/**
 * Returns the field that an invalid value was entered in, by the beginning of the message. That of
 * a phone number names no field.
 */
function invalidFieldOf(message: string): string {
  const named = /^(\w+):/.exec(message)?.[1] ?? 'phone'
  return formNames[named] ?? named
}

/** Returns the state of a page whose form was rejected with an error of the API. */
export function rejectedState(
  text: TextOf,
  { code, status, details, message }: AuthError,
  { action, form }: { action: string; form: URLSearchParams },
): PageFormState {
  const state = { ...noState, status, action, values: valuesOf(form) }
  const named = code === 'validation_failed' ? [invalidFieldOf(message)] : []
  const field = [...(fieldOf[code] ?? []), ...named].find((name) => form.has(name))
  const sentence =
    field === 'username' && code === 'validation_failed' && !details.isHookMessage
      ? usernameSentence(text, status)
      : sentenceOfError(text, { code, message, details })
  return field === undefined
    ? { ...state, error: sentence }
    : { ...state, errors: { [field]: sentence } }
}

/** Returns the rule that a user name does not meet. The status distinguishes a reserved name. */
const usernameSentence = (text: TextOf, status: number): string =>
  status === 422 ? text('error.username_reserved') : text('error.username_invalid', usernameLength)

/** Returns the state of a page for an own check of a form. */
export const invalidState = (
  action: string,
  form: URLSearchParams,
  errors: Record<string, string>,
): PageFormState => ({ ...noState, status: 422, action, values: valuesOf(form), errors })

/** Errors of the service that soon pass, and are not caused by the client. */
const momentary: readonly string[] = ['service_unavailable', 'request_timeout']

/** Errors of send intervals and send budgets, which no attempt of the user exceeds. */
const sendLimits: readonly string[] = ['over_email_send_rate_limit', 'over_sms_send_rate_limit']

/** Returns the sentence for an error: that of a hook of the application, else by its code. */
export const sentenceOfError = (
  text: TextOf,
  { code, message, details }: Pick<AuthError, 'code' | 'message' | 'details'>,
): string =>
  details.isHookMessage
    ? message
    : sentenceOf(text, code, details.retryAfterSeconds, details.weakPasswordReasons)

/** Returns the sentence for an error code. */
export function sentenceOf(
  text: TextOf,
  code: string,
  retryAfterSeconds?: number,
  weaknesses: readonly string[] = [],
): string {
  const isLimit = retryAfterSeconds !== undefined && !momentary.includes(code)
  if (isLimit) {
    const key = sendLimits.includes(code) ? 'error.messageIn' : 'error.retryIn'
    return text(key, { time: text.duration(retryAfterSeconds) })
  }
  if (code === 'weak_password') {
    const reasons = weaknesses.map((reason) => text(`error.weak_password.${reason}` as TextKey))
    return reasons.length > 0 ? reasons.join(' ') : text('error.weak_password')
  }
  const key = `error.${code}` as TextKey
  return text.has(key) ? text(key) : text('error.unexpected')
}
