import type { Seconds } from './values.ts'

/** Second factors. */
export interface MfaConfig {
  /** Factors that one user may have. Default 10. */
  maxEnrolledFactors?: number | undefined
  /** Of those, factors that were verified. Default 10. */
  maxVerifiedFactors?: number | undefined
  /** How long a challenge can be answered. Default and least 300. */
  challengeExpirySeconds?: Seconds | undefined
  /** How long a factor that was never challenged is in the way of another. Default and least 300. */
  factorExpirySeconds?: Seconds | undefined
  totp?:
    | {
        /** Default true. */
        enrollEnabled?: boolean | undefined
        /** Default true. */
        verifyEnabled?: boolean | undefined
      }
    | undefined
  phone?:
    | {
        /** Default false. */
        enrollEnabled?: boolean | undefined
        /** Default false. */
        verifyEnabled?: boolean | undefined
        /** Digits of codes, 6 to 10. Default 6. */
        otpLength?: number | undefined
        /** Least time between two challenges. Default 60. */
        maxFrequencySeconds?: Seconds | undefined
        /** Text of a message; `{{ .Code }}` is the code. */
        template?: string | undefined
      }
    | undefined
}

export interface ResolvedMfa {
  maxEnrolledFactors: number
  maxVerifiedFactors: number
  challengeExpirySeconds: number
  factorExpirySeconds: number
  totp: { enrollEnabled: boolean; verifyEnabled: boolean }
  phone: {
    enrollEnabled: boolean
    verifyEnabled: boolean
    otpLength: number
    maxFrequencySeconds: number
    template: string
  }
}

/** Passkeys, which people sign in with. */
export interface PasskeysConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Passkeys that one user may have. Default 10. */
  maxPasskeysPerUser?: number | undefined
}

export interface ResolvedPasskeys {
  enabled: boolean
  maxPasskeysPerUser: number
}

/** The relying party that passkeys are bound to. */
export interface WebAuthnConfig {
  /**
   * A domain: that of the pages, or one above it. Another one makes all passkeys worthless. Default: the host of
   * `siteUrl`.
   */
  rpId?: string | undefined
  /** What people read when they make a passkey. Default: `rpId`. */
  rpDisplayName?: string | undefined
  /**
   * Origins of pages that may use it, and what apps have in their place, such as `android:apk-key-hash:…`. Default:
   * that of `siteUrl`.
   */
  rpOrigins?: readonly string[] | undefined
  /** How long a challenge can be answered. Default 300. */
  challengeExpirySeconds?: Seconds | undefined
}

export interface ResolvedWebAuthn {
  /** Empty where nothing says it; then passkeys are off. */
  rpId: string
  rpDisplayName: string
  rpOrigins: readonly string[]
  challengeExpirySeconds: number
}
