import unhomoglyph from 'unhomoglyph'
import type { Config } from '../../platform/config/config.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { SignUpOrigin } from './sign-up-origin.ts'
import { hasAddress, hasConfirmedAddress, type User } from './user.ts'
import { usernameReserved } from './user-errors.ts'

/** The number of characters of a user name. */
export const usernameLength = { min: 3, max: 64 } as const
/** The bound of all work: in other Unicode forms, the same name is longer. */
const maxGivenLength = 4 * usernameLength.max

/**
 * Letters, their marks and digits; between them also `.`, `_` and `-`. No marks that enclose a
 * letter.
 *
 * @see RFC 8264 §9.1
 */
const form = /^[\p{L}\p{Nd}](?:[\p{L}\p{Mn}\p{Mc}\p{Nd}._-]*[\p{L}\p{Mn}\p{Mc}\p{Nd}])?$/u
/** Letters and marks that are not displayed. @see UAX #44, Default_Ignorable_Code_Point */
const invisible = /\p{Default_Ignorable_Code_Point}/u
/** Letters that lengthen or repeat others. @see RFC 5892 §2.6 */
const lengthening = /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/u
/**
 * Marks that hide each other, reach into other lines, or are hidden by the character they follow: a
 * line below `_`, a stroke over `t`.
 *
 * @see UTS #39 §5.4
 */
const hiddenMarks = /\p{Mn}{5}|(\p{Mn})\1|(?<![\p{L}\p{M}])\p{M}|[\u0334-\u0338\u20d0-\u20ff]/u
/** The blocks of scripts that are written from right to left. @see DerivedBidiClass.txt */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu
/** The dot above an `i` or `j` replaces its own dot, so it is not displayed. @see UTS #39 §5.4 */
const hiddenDot = /(?<=\p{Soft_Dotted}\p{M}*)\u0307/gu

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
  if (length < usernameLength.min || length > usernameLength.max) throw wrongLength()
  if (!form.test(name)) {
    throw validationFailed(
      'username: may contain letters, digits, and ".", "_" and "-" between them',
    )
  }
  if (isAmbiguous(name)) {
    throw validationFailed(
      'username: may contain no invisible characters or marks, and no mix of left-to-right and right-to-left letters',
    )
  }
  return name
}

/** Whether the name is displayed as another one, or over its neighbors. */
const isAmbiguous = (name: string): boolean =>
  invisible.test(name) ||
  lengthening.test(name) ||
  hiddenMarks.test(name.normalize('NFD')) ||
  !isInOneDirection(name)

/**
 * Whether the name has one direction. A name from right to left begins with a letter of such a
 * script and contains no other letters, and digits of one kind. Otherwise its parts are displayed
 * in the order of another name.
 *
 * @see RFC 5893 §2
 */
function isInOneDirection(name: string): boolean {
  const others = name.replace(rightToLeft, '')
  if (others === name) return true
  const [first = ''] = name
  const hasDigitsOfBothKinds = /[0-9\u06f0-\u06f9]/.test(name) && /[\u0660-\u0669]/.test(name)
  const isLetter = /\p{L}/u.test(first) && !others.startsWith(first)
  return isLetter && !hasDigitsOfBothKinds && /^[\p{M}0-9._-]*$/u.test(others)
}

const wrongLength = () =>
  validationFailed(
    `username: has to have ${usernameLength.min} to ${usernameLength.max} characters`,
  )

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
    const shown = key.normalize('NFD').replace(hiddenDot, '')
    const next = withoutCase(unhomoglyph(shown)).normalize('NFD')
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
  signUpOrigin: SignUpOrigin | null,
): boolean => signUpOrigin === null || hasConfirmedAddress(user) || !hasAddress(user)
