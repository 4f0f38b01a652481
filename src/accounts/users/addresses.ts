import { validationFailed } from '../../platform/errors/request-errors.ts'

/** Where a user is reached, in the one spelling that is stored. */
export interface Address {
  kind: 'email' | 'phone'
  value: string
}

/** What a user signs in with beside a password: an address, or a user name as its key. */
export type SignInName = Address | { kind: 'username'; value: string }

const maxEmailBytes = 255
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

const phoneForm = /^[1-9][0-9]{1,14}$/

/**
 * An email address in lower case.
 *
 * @throws AuthError `validation_failed` for what is not exactly one plain address.
 */
export function readEmail(text: string): Address {
  if (text === '') throw validationFailed('email: An email address is required')
  if (Buffer.byteLength(text) > maxEmailBytes) {
    throw validationFailed('email: An email address is too long')
  }
  // Before it is made lower case: some letters beyond ASCII would become one of it.
  if (!emailForm.test(text)) {
    throw validationFailed('email: Unable to validate email address: invalid format')
  }
  return { kind: 'email', value: text.toLowerCase() }
}

/**
 * A phone number as the digits of E.164; one leading `+` and spaces are dropped.
 *
 * @throws AuthError `validation_failed` for what is no such number, in the words of the wire, which clients
 *   compare: they name no field.
 */
export function readPhone(text: string): Address {
  const phone = normalizePhone(text)
  if (!phoneForm.test(phone)) {
    throw validationFailed('Invalid phone number format (E.164 required)')
  }
  return { kind: 'phone', value: phone }
}

/** The address of a sign-in, which is only looked up: what is malformed is simply not found. */
export const emailToFind = (text: string): Address => ({ kind: 'email', value: text.toLowerCase() })
export const phoneToFind = (text: string): Address => ({
  kind: 'phone',
  value: normalizePhone(text),
})

const normalizePhone = (text: string): string => text.replace(/^\+/, '').replaceAll(' ', '')
