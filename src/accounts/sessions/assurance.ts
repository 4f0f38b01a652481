import { type FactorSubstitute, factorSubstitutes } from '../../platform/capability-terms.ts'
import { challengedFactorTypes, type FactorType } from '../../platform/factor-kinds/factor-kinds.ts'

/** The strength of the proof of a session. @see NIST SP 800-63B §4 */
export type AuthenticatorAssuranceLevel = 'aal1' | 'aal2'

/** A method by which a user authenticated. @see RFC 8176, whose values these extend */
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
  | FactorMethod
  | FactorSubstitute
  | ImportedMethod

type FactorMethod = 'totp' | `mfa/${Exclude<FactorType, 'totp'>}`

const factorMethodOf = (type: FactorType): FactorMethod => (type === 'totp' ? type : `mfa/${type}`)

/** The method in `amr` for a factor of each type. */
export const factorMethods = Object.fromEntries(
  [...challengedFactorTypes, 'recovery_code' as const].map((type) => [type, factorMethodOf(type)]),
) as Readonly<Record<FactorType, FactorMethod>>

/** Methods of sessions that were imported from another service. */
type ImportedMethod = 'oauth' | 'oauth_provider/authorization_code' | 'sso/saml' | 'token_refresh'

/** Returns whether the method proves a second factor. */
export const isSecondFactor = (method: string): boolean =>
  Object.values<string>(factorMethods).includes(method)

const notProofs: ReadonlySet<string> = new Set(['token_refresh', ...factorSubstitutes])

/**
 * Returns whether the method proves the user. A refresh and a substitute for a factor repeat an
 * earlier proof.
 */
export const isProofOfUser = (method: string): boolean => !notProofs.has(method)

/**
 * Returns the time of the newest proof by one of these methods, in seconds since 1970; null where
 * there is none. Entries with `recent: false` are not proofs of that time. A token's `amr` may be
 * anything.
 */
export function newestProof(amr: unknown, counts: (method: string) => boolean): number | null {
  const times = entriesBy(amr, counts)
    .filter(({ recent }) => recent !== false)
    .map(({ timestamp }) => timestamp)
  return times.length > 0 ? Math.max(...times) : null
}

/** Returns whether an `amr` contains a method, with a recent proof or without. */
export const hasMethod = (amr: unknown, counts: (method: string) => boolean): boolean =>
  entriesBy(amr, counts).length > 0

function entriesBy(
  amr: unknown,
  counts: (method: string) => boolean,
): { timestamp: number; recent?: unknown }[] {
  return (Array.isArray(amr) ? amr : []).filter(
    (entry) =>
      typeof entry?.method === 'string' &&
      counts(entry.method) &&
      typeof entry.timestamp === 'number',
  )
}

/** One method that proved a session, and its time (seconds since 1970). */
export interface AuthenticationMethodReference {
  method: AuthenticationMethod
  timestamp: number
  /** The provider of single sign-on, for that method. */
  provider?: string
  /**
   * False where the factor was added to this session, or while it existed, without a recent proof.
   * The method then raises the session and satisfies no `within`; `timestamp` is that of an older
   * proof.
   */
  recent?: false
}

/** An entry of `amr` as a session stores it. Tokens do not contain `sentTo`. */
export interface StoredMethodReference extends AuthenticationMethodReference {
  /**
   * The recipient of the code of `otp`, where that was a phone. Absent for a link or code by mail.
   */
  sentTo?: 'phone'
}

/** Returns an entry of `amr` as tokens contain it. */
export const presentMethodReference = ({
  sentTo: _,
  ...reference
}: StoredMethodReference): AuthenticationMethodReference => reference

/**
 * First factors that prove neither control of a mailbox nor an identity that a mailbox may have
 * linked.
 */
const apartFromMail: ReadonlySet<string> = new Set(['password', 'passkey', 'web3'])

/**
 * Returns whether the first factor of a session is independent of the user's mailbox. A link or
 * code by mail is not, and neither is a provider: its identity may have joined the account by the
 * address alone. Fails closed: an entry that does not state the recipient of its code, as in an
 * imported session, was sent by mail.
 */
export const isApartFromMail = (amr: readonly StoredMethodReference[]): boolean => {
  const first = amr.filter(({ method }) => !isSecondFactor(method) && isProofOfUser(method))
  return (
    first.length > 0 &&
    first.every(({ method, sentTo }) => apartFromMail.has(method) || sentTo === 'phone')
  )
}

/** Returns the entry of `amr` for a proof at this time. */
export const proofBy = (method: AuthenticationMethod, at: Date): AuthenticationMethodReference => ({
  method,
  timestamp: Math.floor(at.getTime() / 1000),
})

/** Returns whether a proof is recent. `provedAt` is in seconds since 1970; null without a proof. */
export const isWithin = (provedAt: number | null, seconds: number, now: Date): boolean =>
  provedAt !== null && provedAt >= now.getTime() / 1000 - seconds
