import type { WeakPasswordReason } from '../errors/auth-error.ts'
import { validationFailed } from '../errors/request-errors.ts'
import { weakPassword } from './password-errors.ts'

export interface PasswordPolicy {
  /** In bytes of UTF-8. */
  minLength: number
  /** Sets of characters, of each of which a password must hold one. */
  requiredCharacters: readonly string[]
}

/** Why a password that is correct would be refused as a new one. */
export interface PasswordWeakness {
  message: string
  reasons: WeakPasswordReason[]
}

/** Longer ones are refused: hashing must not become a way to keep the server busy. */
export const maxPasswordBytes = 1024

/**
 * @throws AuthError `weak_password` (422, with each broken rule in `details.weakPasswordReasons`), or
 *   `validation_failed` when it is longer than 1,024 bytes.
 */
export function requireStrongPassword(policy: PasswordPolicy, password: string): void {
  requireHashablePassword(password)
  const weakness = findPasswordWeakness(policy, password)
  if (weakness) throw weakPassword(weakness.message, weakness.reasons)
}

/** The bound that holds even where strength does not matter. */
export function requireHashablePassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw validationFailed(`password: cannot be longer than ${maxPasswordBytes} bytes`)
  }
}

/** The rules that a password breaks, in one sentence each; null when it breaks none. */
export function findPasswordWeakness(
  { minLength, requiredCharacters }: PasswordPolicy,
  password: string,
): PasswordWeakness | null {
  const texts: string[] = []
  const reasons: WeakPasswordReason[] = []
  if (Buffer.byteLength(password) < minLength) {
    reasons.push('length')
    texts.push(`Password should be at least ${minLength} characters.`)
  }
  if (!requiredCharacters.every((set) => [...set].some((one) => password.includes(one)))) {
    reasons.push('characters')
    const sets = requiredCharacters.join(', ')
    texts.push(`Password should contain at least one character of each: ${sets}.`)
  }
  return reasons.length === 0 ? null : { message: texts.join(' '), reasons }
}
