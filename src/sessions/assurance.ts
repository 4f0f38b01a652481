/** How strongly a session was proved. @see NIST SP 800-63B §4 */
export type AuthenticatorAssuranceLevel = 'aal1' | 'aal2'

/** How a user proved who they are. @see RFC 8176, whose values these extend */
export type AuthenticationMethod =
  | 'password'
  | 'otp'
  | 'anonymous'
  | 'email/signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'web3'
  | 'passkey'
  | 'trusted_device'
  | FactorMethod
  | ImportedMethod

/** What the proof of a factor of each type is called. */
export const factorMethods = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
} as const

type FactorMethod = (typeof factorMethods)[keyof typeof factorMethods]

/** How sessions were proved that came from another service. */
type ImportedMethod = 'oauth' | 'oauth_provider/authorization_code' | 'sso/saml' | 'token_refresh'

/** Whether it is the proof of a second factor. */
export const isSecondFactor = (method: string): boolean =>
  Object.values<string>(factorMethods).includes(method)

const notProofs: ReadonlySet<string> = new Set(['token_refresh', 'trusted_device'])

/** Whether somebody proved who they are by it. A refresh and a trusted device repeat what was proved before. */
export const isProofOfUser = (method: string): boolean => !notProofs.has(method)

/** When the newest of these methods was proved, in seconds since 1970; null where none was. A token's `amr` may be anything. */
export function newestProof(amr: unknown, counts: (method: string) => boolean): number | null {
  const times = (Array.isArray(amr) ? amr : [])
    .filter((entry) => typeof entry?.method === 'string' && counts(entry.method))
    .map(({ timestamp }) => timestamp)
    .filter((timestamp) => typeof timestamp === 'number')
  return times.length > 0 ? Math.max(...times) : null
}

/** One method that a session was proved by, and when (seconds since 1970). */
export interface AuthenticationMethodReference {
  method: AuthenticationMethod
  timestamp: number
  /** The provider of single sign-on, where it was that. */
  provider?: string
}

/** What the proof by one method at this moment leaves in the session. */
export const proofBy = (method: AuthenticationMethod, at: Date): AuthenticationMethodReference => ({
  method,
  timestamp: Math.floor(at.getTime() / 1000),
})
