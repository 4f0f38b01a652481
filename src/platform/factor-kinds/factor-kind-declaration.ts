import type { Language } from '../kit/languages.ts'

/**
 * The facts about a kind of second factor from which settings, errors, mails, pages and the wire
 * derive.
 */
export interface FactorKindDeclaration {
  /** Its section in the configuration: `mfa.<section>`. */
  section: string
  /** Its part in the names of the environment: `MFA_<env>_ENROLL_ENABLED`. */
  env: string
  /** Whether its settings are on by default. */
  enabledByDefault: boolean
  /** The authenticators in the plural, as within a sentence. */
  authenticators: string
  /** The means of a sign-in with this kind, as within a sentence. */
  outputs: string
  /** The kind in error messages. */
  errorName: string
  /** The error message for a wrong code or signature. */
  wrongOutput: string
  /** The authenticator in mails, to follow a colon. */
  names: Readonly<Record<Language, string>>
  /** Its name on the pages, and the text above the form that proves it. */
  pageTexts: Readonly<Record<Language, { name: string; lead: string }>>
  /** The channel of its codes; null where the authenticator has them. */
  carrier: 'email' | 'sms' | null
  /**
   * The form of a factor on the wire, for clients that fail on a type which they do not know.
   * Default: its own type, without `channel`.
   */
  presentedAs?: { factorType: string; channel: string }
  /** The error codes that only this kind has. */
  ownErrors?: Readonly<Record<string, FactorErrorMeaning>>
  /**
   * The errors of its endpoints that other kinds do not have, its own among them. The compiler
   * compares them with the error codes.
   */
  errors: Readonly<Record<FactorUse, readonly string[]>>
}

/** The documentation of an error code that one kind has. */
export interface FactorErrorMeaning {
  statuses: readonly [number, ...number[]]
  means: string
  client?: string
}

export type FactorUse = 'enroll' | 'challenge' | 'verify'
