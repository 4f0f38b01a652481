import unhomoglyph from 'unhomoglyph'
import type { Config } from '../../platform/config/config.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Registration } from './registration.ts'
import { isConfirmed, type User } from './user.ts'
import { usernameReserved } from './user-errors.ts'

const minLength = 3
const maxLength = 64
/** The bound of all work: in other Unicode forms, the same name is longer. */
const maxGivenLength = 4 * maxLength

/** Letters, their marks and digits; between them also `.`, `_` and `-`. */
const form = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u
/** Letters and marks that are not displayed. @see UAX #44, Default_Ignorable_Code_Point */
const invisible = /\p{Default_Ignorable_Code_Point}/u

/**
 * Reads a user name as it is stored and displayed: in NFKC and lower case, since a capital `I`
 * looks like an `l`.
 *
 * @see RFC 8265 §3.3 (UsernameCaseMapped)
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export function readUsername(text: string): string {
  if (text.length > maxGivenLength) throw wrongLength()
  const name = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const { length } = [...name]
  if (length < minLength || length > maxLength) throw wrongLength()
  if (form.test(name) && !invisible.test(name)) return name
  throw validationFailed('username: may contain letters, digits, and ".", "_" and "-" between them')
}

const wrongLength = () =>
  validationFailed(`username: has to have ${minLength} to ${maxLength} characters`)

/**
 * Reads a user name that a user chooses.
 *
 * @throws AuthError `validation_failed` (400, or 422 for a reserved name), naming the field.
 */
export function readOwnUsername(text: string, reserved: readonly string[]): string {
  const name = readUsername(text)
  const key = usernameKey(name)
  if (reserved.some((one) => usernameKey(one) === key)) throw usernameReserved()
  return name
}

/**
 * Reads a user name that an operator gives, which may be a reserved one.
 *
 * @returns null without one, and where user names are not enabled.
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export const readGivenUsername = (
  { config }: { config: Pick<Config, 'usernames'> },
  text: string | undefined,
): string | null => (config.usernames.enabled && text !== undefined ? readUsername(text) : null)

/**
 * Returns the key by which user names are compared: the skeleton of the name without letter case.
 * Names that look the same have the same key. It is not displayed.
 *
 * @see UTS #39 §4
 * @param text a name, or any text that a client submits as one.
 */
export function usernameKey(text: string): string {
  if (text.length > maxGivenLength) return ''
  let key = withoutCase(text)
  // A prototype may be a capital letter, whose small form has another prototype.
  for (let step = 0; step < 8; step += 1) {
    const next = withoutCase(unhomoglyph(key.normalize('NFD'))).normalize('NFD')
    if (next === key) break
    key = next
  }
  return key
}

/**
 * Returns the text without letter case. Upper case comes first, since several small letters share
 * one capital: `ß` and `ss`, `ς` and `σ`.
 */
const withoutCase = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')

/**
 * Returns whether the user holds the user name: it signs in, and no other user of the audience can
 * have it. The name of a sign-up waits until an address of the account is confirmed. Otherwise a
 * second sign-up with the name would reveal whether the first created an account, and so whether
 * its address had one.
 */
export const holdsUsername = (
  user: Pick<User, 'email' | 'phone' | 'emailConfirmedAt' | 'phoneConfirmedAt'>,
  registration: Registration | null,
): boolean =>
  registration === null || isConfirmed(user) || (user.email === null && user.phone === null)
