import type { AuthError, AuthErrorCode } from './auth-error.ts'

/** The rejection of one record among many. */
export interface Rejection {
  code: AuthErrorCode
  /** The field; null for the record as a whole. */
  field: string | null
  /** A text for people. It quotes no part of the record. */
  message: string
}

/** Codes of errors about another field than their message begins with. */
const fields: Partial<Record<AuthErrorCode, string>> = {
  email_exists: 'email',
  phone_exists: 'phone',
  username_exists: 'username',
  user_already_exists: 'id',
  identity_already_exists: 'identities',
}

/** The message of a whole request, such as `email: has to be string`. */
const form = /^(?:Could not parse request body as JSON: |Invalid argument: )?((?:([\w.]+): )?.*)$/s

/** Returns the rejection for an error about one record. The message begins with its field. */
export function rejectionOf({ code, message }: AuthError): Rejection {
  const [, text = message, named = null] = form.exec(message) ?? []
  return {
    code,
    field: fields[code] ?? (named === 'body' || named === 'input' ? null : named),
    message: text,
  }
}
