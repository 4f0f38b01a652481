import type { User } from '../../accounts/users/user.ts'
import type { PagesHost } from './pages-host.ts'

/** The methods that the configuration enables. Pages show these, and nothing else. */
export interface Methods {
  email: boolean
  phone: boolean
  username: boolean
  password: boolean
  /** By mailed link or code, or by SMS. */
  code: boolean
  passkey: boolean
  passkeySignUp: boolean
  anonymous: boolean
  /** The chains whose wallets sign users in. */
  wallets: readonly ('ethereum' | 'solana')[]
  /** Whether users may create an account. */
  signUp: boolean
}

export function methodsOf({ deps: { config } }: PagesHost): Methods {
  const { email, phone, usernames, passkeys, webAuthn, anonymousUsers, signUp, web3 } = config
  const hasPasskeys = passkeys.enabled && webAuthn.rpId !== ''
  return {
    email: email.enabled,
    phone: phone.enabled,
    username: usernames.enabled,
    password: email.enabled || phone.enabled,
    code: (email.enabled && email.magicLinkEnabled) || phone.enabled,
    passkey: hasPasskeys,
    passkeySignUp: hasPasskeys && passkeys.signUpEnabled && !signUp.disabled,
    anonymous: anonymousUsers.enabled && !signUp.disabled,
    wallets: [
      ...(web3.ethereumEnabled ? (['ethereum'] as const) : []),
      ...(web3.solanaEnabled ? (['solana'] as const) : []),
    ],
    signUp: !signUp.disabled,
  }
}

/**
 * Returns the methods that a user may change. A user of single sign-on may change the user name
 * only, which does not sign in: the organization manages the others.
 */
export const changeableMethodsOf = (
  host: PagesHost,
  { isSsoUser }: Pick<User, 'isSsoUser'>,
): Methods => {
  const methods = methodsOf(host)
  return isSsoUser
    ? { ...methods, email: false, phone: false, password: false, passkey: false }
    : methods
}

/** Returns what a user typed as an email address, a phone number or a user name. */
export function identifierOf(
  { deps: { config } }: PagesHost,
  typed: string,
): { email?: string; phone?: string; username?: string } {
  const text = typed.trim()
  if (text.includes('@')) return { email: text }
  if (config.phone.enabled && /^\+?[\d\s().-]{5,}$/.test(text)) return { phone: phoneOf(text) }
  return config.usernames.enabled ? { username: text } : { email: text }
}

/** Returns a number without the separators that people write. */
export const phoneOf = (typed: string): string => typed.replace(/[\s().-]/g, '')
