import { validationFailed } from '../../platform/errors/request-errors.ts'

/** An address of a user, in its one stored form. */
export interface Address {
  kind: 'email' | 'phone'
  value: string
}

/** The name for a sign-in by password: an address, or a user name as its key. */
export type SignInName = Address | { kind: 'username'; value: string }

const maxEmailBytes = 255
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

const phoneForm = /^[1-9][0-9]{1,14}$/

/**
 * Reads an email address, and returns it in lower case.
 *
 * @throws AuthError `validation_failed` for any text except one plain address.
 */
export function readEmail(text: string): Address {
  if (text === '') throw validationFailed('email: An email address is required')
  if (Buffer.byteLength(text) > maxEmailBytes) {
    throw validationFailed('email: An email address is too long')
  }
  // Checked before the conversion to lower case, which turns some letters beyond ASCII into ASCII.
  if (!emailForm.test(text)) {
    throw validationFailed('email: Unable to validate email address: invalid format')
  }
  return { kind: 'email', value: text.toLowerCase() }
}

/**
 * Reads a phone number, and returns the digits of E.164. One leading `+` and spaces are removed.
 *
 * @throws AuthError `validation_failed` for any other text. The message is that of the wire, which
 *   clients compare, and names no field.
 */
export function readPhone(text: string): Address {
  const phone = normalizePhone(text)
  if (!phoneForm.test(phone)) {
    throw validationFailed('Invalid phone number format (E.164 required)')
  }
  return { kind: 'phone', value: phone }
}

/** Returns the address of a sign-in, which is only looked up: a malformed one is not found. */
export const emailToFind = (text: string): Address => ({ kind: 'email', value: text.toLowerCase() })
export const phoneToFind = (text: string): Address => ({
  kind: 'phone',
  value: normalizePhone(text),
})

const normalizePhone = (text: string): string => text.replace(/^\+/, '').replaceAll(' ', '')
