import { maxPasswordBytes } from '../../platform/config/sections/passwords.ts'
import { AuthError, type WeakPasswordReason } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { IsBreached } from './breached-passwords.ts'
import { type PasswordWeakness, passwordNotLookedUp, weakPassword } from './password-errors.ts'

export interface PasswordRules {
  /** In bytes of UTF-8. */
  minLength: number
  /** Sets of characters, of each of which a password must hold one. */
  requiredCharacters: readonly string[]
}

/** What is asked of passwords. */
export interface PasswordPolicy {
  /**
   * Why a new password is refused; null when it is not.
   *
   * @throws AuthError `service_unavailable` (503) when it has to be looked up and cannot be.
   */
  findWeakness(password: string): Promise<PasswordWeakness | null>
  /** What there is to say of a password that somebody has just signed in with, as far as it is known soon. */
  findWeaknessInUse(password: string): Promise<PasswordWeakness | null>
}

export interface PolicyParts {
  rules: PasswordRules
  /** Null where passwords are not looked up. */
  isBreached: IsBreached | null
  /** Finds what is easy to guess; null where no score is asked for. It is not asked at sign-ins: it takes long. */
  findLowScore: ((password: string) => PasswordWeakness | null) | null
  /** Whether a password is refused that cannot be looked up. */
  failClosed: boolean
}

/** So long a sign-in waits for what is no more than a warning. */
const maxWarningMs = 1000

export function createPasswordPolicy({
  rules,
  isBreached,
  findLowScore,
  failClosed,
}: PolicyParts): PasswordPolicy {
  const lookUp = async (password: string) => (await isBreached?.(password)) ?? false
  return {
    findWeakness: async (password) => {
      const isKnown = await lookUp(password).catch((error: unknown) => {
        // An attacker who causes many look-ups must not switch them off for others.
        if (error instanceof AuthError) throw error
        if (failClosed) throw passwordNotLookedUp(error)
        return false
      })
      const lowScore = findLowScore?.(password) ?? null
      return inOne(findPasswordWeakness(rules, password), lowScore, isKnown ? breached : null)
    },
    findWeaknessInUse: async (password) => {
      const late = () => new Error('late')
      const isKnown = await withinTime(lookUp(password), maxWarningMs, late).catch(() => false)
      return inOne(findPasswordWeakness(rules, password), isKnown ? breached : null)
    },
  }
}

const breached: PasswordWeakness = {
  message: 'Password is known to be weak and easy to guess, please choose a different one.',
  reasons: ['pwned'],
}

/** All that was found, in its order. */
function inOne(...found: readonly (PasswordWeakness | null)[]): PasswordWeakness | null {
  const all = found.filter((one) => one !== null)
  if (all.length === 0) return null
  return {
    message: all.map(({ message }) => message).join(' '),
    reasons: all.flatMap(({ reasons }) => reasons),
  }
}

/**
 * Refuses a password that is too weak for a new one. It is looked up before anything is asked about users, so that
 * the time which that takes tells nothing of them.
 *
 * @throws AuthError `weak_password` (422, with each broken rule in `details.weakPasswordReasons`),
 *   `validation_failed` when it is longer than 1,024 bytes, `service_unavailable` (503) when it cannot be looked up.
 */
export async function requireStrongPassword(
  { passwordPolicy }: { passwordPolicy: PasswordPolicy },
  password: string,
): Promise<void> {
  requireHashablePassword(password)
  const weakness = await passwordPolicy.findWeakness(password)
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
  { minLength, requiredCharacters }: PasswordRules,
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
