import type { CapabilityMfaConfig, ResolvedCapabilityMfa } from '../../capability-terms.ts'
import type { FactorSection, FactorSwitches } from '../../factor-kinds/factor-kinds.ts'
import type { Seconds } from './values.ts'

/**
 * The settings of a kind of second factor. Both are false by default, and true of authenticator
 * apps.
 */
export interface FactorKindConfig {
  /** Whether users may enroll such a factor. */
  enrollEnabled?: boolean | undefined
  /** Whether such a factor may be verified. */
  verifyEnabled?: boolean | undefined
}

type FactorKindConfigs = { [Section in FactorSection]?: FactorKindConfig | undefined }

/** Second factors. Security keys (`webAuthn`) are bound to the relying party of `webAuthn`. */
export interface MfaConfig extends FactorKindConfigs, CapabilityMfaConfig {
  /** Factors that one user may have. Default 10. */
  maxEnrolledFactors?: number | undefined
  /** Verified factors among these. Default 10. */
  maxVerifiedFactors?: number | undefined
  /** The lifetime of a challenge. Default and minimum 300. */
  challengeExpirySeconds?: Seconds | undefined
  /** How long a factor without a challenge prevents another enrollment. Default and minimum 300. */
  factorExpirySeconds?: Seconds | undefined
  phone?:
    | (FactorKindConfig & {
        /** Digits of codes, 6 to 10. Default 6. */
        otpLength?: number | undefined
        /** The minimum time between two challenges. Default 60. */
        maxFrequencySeconds?: Seconds | undefined
        /** Text of a message; `{{ .Code }}` is the code. */
        template?: string | undefined
      })
    | undefined
  /** Recovery codes, for users who lose their other factors. */
  recoveryCodes?:
    | {
        /** Default true. */
        enrollEnabled?: boolean | undefined
        /** Default true. */
        verifyEnabled?: boolean | undefined
      }
    | undefined
}

export interface ResolvedMfa extends Record<FactorSection, FactorSwitches>, ResolvedCapabilityMfa {
  maxEnrolledFactors: number
  maxVerifiedFactors: number
  challengeExpirySeconds: number
  factorExpirySeconds: number
  phone: FactorSwitches & {
    otpLength: number
    maxFrequencySeconds: number
    template: string
  }
  recoveryCodes: FactorSwitches
}

/** Passkeys for sign-in. */
export interface PasskeysConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Passkeys that one user may have. Default 10. */
  maxPasskeysPerUser?: number | undefined
  /** Whether a passkey alone can create a user, who then has no address. Default false. */
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
   * The domain of the pages, or a parent domain. Changing it makes all existing credentials
   * unusable. Default: the host of `siteUrl`.
   */
  rpId?: string | undefined
  /** The name shown when a user creates a passkey or enrolls a security key. Default: `rpId`. */
  rpDisplayName?: string | undefined
  /**
   * Origins of pages that may use credentials, and their equivalent in apps, such as
   * `android:apk-key-hash:…`. Default: the origin of `siteUrl`.
   */
  rpOrigins?: readonly string[] | undefined
  /** The lifetime of a passkey challenge. Default 300. */
  challengeExpirySeconds?: Seconds | undefined
}

export interface ResolvedWebAuthn {
  /** Empty if it cannot be derived; passkeys and security keys are then disabled. */
  rpId: string
  rpDisplayName: string
  rpOrigins: readonly string[]
  challengeExpirySeconds: number
}
