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
  /** Codes that users keep for the day on which they lose their other factors. */
  recoveryCodes?:
    | {
        /** Default true. */
        enrollEnabled?: boolean | undefined
        /** Default true. */
        verifyEnabled?: boolean | undefined
      }
    | undefined
  /** Devices on which a second factor need not be shown again for a while. */
  trustedDevices?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        /** 60 to 34,560,000 (400 days). Default 2,592,000 (30 days). */
        expirySeconds?: Seconds | undefined
      }
    | undefined
  /** Security keys, bound to the relying party of `webAuthn`. */
  webAuthn?:
    | {
        /** Default false. */
        enrollEnabled?: boolean | undefined
        /** Default false. */
        verifyEnabled?: boolean | undefined
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
  recoveryCodes: { enrollEnabled: boolean; verifyEnabled: boolean }
  trustedDevices: { enabled: boolean; expirySeconds: number }
  webAuthn: { enrollEnabled: boolean; verifyEnabled: boolean }
}

/** Passkeys, which people sign in with. */
export interface PasskeysConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Passkeys that one user may have. Default 10. */
  maxPasskeysPerUser?: number | undefined
  /** Whether a passkey alone makes somebody a user, who has no address then. Default false. */
  signUpEnabled?: boolean | undefined
}

export interface ResolvedPasskeys {
  enabled: boolean
  maxPasskeysPerUser: number
  signUpEnabled: boolean
}

/** The relying party that passkeys and security keys are bound to. */
export interface WebAuthnConfig {
  /**
   * A domain: that of the pages, or one above it. Another one makes all that there are worthless. Default: the host of
   * `siteUrl`.
   */
  rpId?: string | undefined
  /** What people read when they make a passkey or enroll a security key. Default: `rpId`. */
  rpDisplayName?: string | undefined
  /**
   * Origins of pages that may use it, and what apps have in their place, such as `android:apk-key-hash:…`. Default:
   * that of `siteUrl`.
   */
  rpOrigins?: readonly string[] | undefined
  /** How long the challenge to a passkey can be answered. Default 300. */
  challengeExpirySeconds?: Seconds | undefined
}

export interface ResolvedWebAuthn {
  /** Empty where nothing says it; then passkeys and security keys are off. */
  rpId: string
  rpDisplayName: string
  rpOrigins: readonly string[]
  challengeExpirySeconds: number
}
