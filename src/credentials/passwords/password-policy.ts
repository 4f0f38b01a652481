import type { Config } from '../../platform/config/config.ts'
import { maxPasswordBytes } from '../../platform/config/sections/passwords.ts'
import { AuthError, type WeakPasswordReason } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { breachedPasswords, type IsBreached } from './breached-passwords.ts'
import { type PasswordWeakness, passwordNotLookedUp, weakPassword } from './password-errors.ts'
import { openStrengthScore } from './strength-score.ts'

export interface PasswordRules {
  /** Bytes of UTF-8. */
  minLength: number
  /** Sets of characters. A password must contain a character of each. */
  requiredCharacters: readonly string[]
}

/** The rules for new passwords. */
export interface PasswordPolicy {
  /**
   * Returns the reason why a new password is rejected; null when it is accepted.
   *
   * @throws AuthError `service_unavailable` (503) when a required breach check cannot be made.
   */
  findWeakness(password: string): Promise<PasswordWeakness | null>
  /**
   * Returns the weakness of a password that was used to sign in, as far as it is known within a
   * second.
   */
  findWeaknessInUse(password: string): Promise<PasswordWeakness | null>
}

export interface PolicyParts {
  rules: PasswordRules
  /** Null where the breach check is disabled. */
  isBreached: IsBreached | null
  /**
   * Returns the weakness of a guessable password; null where no score is required. Not used at
   * sign-ins, because it is slow.
   */
  findLowScore: ((password: string) => PasswordWeakness | null) | null
  /** True where a password is rejected if its breach check fails. */
  failClosed: boolean
}

/** The maximum time that a sign-in waits for a result that only causes a warning. */
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
        // An attacker who causes many look-ups must not disable the check for other clients.
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

/** Joins all weaknesses in their order. */
function inOne(...found: readonly (PasswordWeakness | null)[]): PasswordWeakness | null {
  const all = found.filter((one) => one !== null)
  if (all.length === 0) return null
  return {
    message: all.map(({ message }) => message).join(' '),
    reasons: all.flatMap(({ reasons }) => reasons),
  }
}

/**
 * Rejects a password that is too weak. The check precedes any look-up of a user, so its duration
 * reveals nothing about users.
 *
 * @throws AuthError `weak_password` (422, with each broken rule in `details.weakPasswordReasons`),
 *   `validation_failed` when it is longer than 1,024 bytes, `service_unavailable` (503) when the
 *   breach check fails.
 */
export async function requireStrongPassword(
  { passwordPolicy }: { passwordPolicy: PasswordPolicy },
  password: string,
): Promise<void> {
  requireHashablePassword(password)
  const weakness = await passwordPolicy.findWeakness(password)
  if (weakness) throw weakPassword(weakness.message, weakness.reasons)
}

/** Applies the limit that also holds where strength does not matter. */
export function requireHashablePassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw validationFailed(`password: cannot be longer than ${maxPasswordBytes} bytes`)
  }
}

/** Returns the rules that a password breaks, one sentence each; null when it breaks none. */
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

interface Needs {
  config: Config
  clock: Clock
  logger: Logger
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
}

/**
 * Creates the password policy of the configuration.
 *
 * @throws PasswordScoreMissingError when it requires a score whose package is not installed.
 */
export async function openPasswordPolicy({ config, ...needs }: Needs): Promise<PasswordPolicy> {
  const { hibpEnabled, hibpFailClosed: failClosed, hibpUserAgent: userAgent } = config.passwords
  const { minScore } = config.passwords
  const { storage } = config
  const isBreached = hibpEnabled ? breachedPasswords({ ...needs, storage, userAgent }) : null
  const findLowScore = minScore > 0 ? await openStrengthScore(minScore) : null
  return createPasswordPolicy({ rules: config.passwords, isBreached, findLowScore, failClosed })
}
