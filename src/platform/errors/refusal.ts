import type { AuthError, AuthErrorCode } from './auth-error.ts'

/** One record of many that was refused. */
export interface Refusal {
  code: AuthErrorCode
  /** The field that it is about; null for the record as a whole. */
  field: string | null
  /** For people. It quotes nothing of the record. */
  message: string
}

/** What names another field than its message begins with. */
const fields: Partial<Record<AuthErrorCode, string>> = {
  email_exists: 'email',
  phone_exists: 'phone',
  user_already_exists: 'id',
  identity_already_exists: 'identities',
}

/** `email: has to be string`, which the wire says of a whole request. */
const form = /^(?:Could not parse request body as JSON: )?((?:([\w.]+): )?.*)$/s

/** What an error says of one record: messages begin with the field that they are about. */
export function refusalOf({ code, message }: AuthError): Refusal {
  const [, text = message, named = null] = form.exec(message) ?? []
  return { code, field: fields[code] ?? (named === 'body' ? null : named), message: text }
}
