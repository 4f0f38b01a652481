import type { Seconds } from './values.ts'

export type CaptchaProvider = 'hcaptcha' | 'turnstile' | 'recaptcha_v2' | 'recaptcha_v3'

/** A client's captcha response to verify. */
export interface CaptchaAttempt {
  /** The token that the captcha provider issued to the client. */
  token: string
  /** The client's address, if it is known. */
  ip: string | null
  /** The requested endpoint, such as `/signup`. */
  path: string
}

/**
 * Reports whether a captcha was solved. Any other value than `true`, an error and a timeout reject
 * it.
 */
export type VerifyCaptcha = (attempt: CaptchaAttempt) => boolean | Promise<boolean>

/** Security settings. */
export interface SecurityConfig {
  refreshTokens?:
    | {
        /**
         * Reuse of an old refresh token ends the session. Default true; false only rejects the
         * request.
         */
        rotationEnabled?: boolean | undefined
        /** How long the previous refresh token may be used again after a renewal. Default 10. */
        reuseIntervalSeconds?: Seconds | undefined
      }
    | undefined
  passwordUpdate?:
    | {
        /** A password change requires a nonce from `/reauthenticate`. Default false. */
        requireReauthentication?: boolean | undefined
        /** A password change requires the current password. Default false. */
        requireCurrentPassword?: boolean | undefined
      }
    | undefined
  /**
   * Maximum age of the factor proof that is required to add or replace a credential of a user with
   * a verified factor. Default 600; 0 disables the check, with a warning.
   */
  recentProofSeconds?: Seconds | undefined
  /** `DELETE /user`: users may erase themselves after reauthentication. Default false. */
  ownDeletionEnabled?: boolean | undefined
  /** Users may link and unlink identities themselves. Default false. */
  manualLinkingEnabled?: boolean | undefined
  /**
   * The maximum size of `user_metadata` as JSON, and of `app_metadata`, in bytes. Both are part of
   * each access token: with the default of 4096, the largest token fits the 16 KiB of headers that
   * Node accepts. At most 10240: longer tokens are rejected.
   */
  maxMetadataBytes?: number | undefined
  /** Trusts `Svc-Forwarded-For`. Only behind a proxy that sets it. Default false. */
  svcForwardedForEnabled?: boolean | undefined
  /** Captchas for requests without a session. Naming them enables them. */
  captcha?:
    | {
        /** Default true if another member is set. */
        enabled?: boolean | undefined
        /** Default `hcaptcha`; any letter case. */
        provider?: CaptchaProvider | undefined
        secret?: string | undefined
        /** Hosts of pages with accepted captchas. Default: any. */
        hostnames?: readonly string[] | undefined
        /** Accepted actions of captchas, for `turnstile` and `recaptcha_v3`. Default: any. */
        actions?: readonly string[] | undefined
        /** The minimum score, from 0 to 1, of `recaptcha_v3`. Default 0.5. */
        minScore?: number | undefined
        /** Default 10. */
        timeoutSeconds?: Seconds | undefined
        /** Verifies captchas in place of a provider. */
        verify?: VerifyCaptcha | undefined
      }
    | undefined
}

export interface ResolvedSecurity {
  refreshTokens: { rotationEnabled: boolean; reuseIntervalSeconds: number }
  passwordUpdate: { requireReauthentication: boolean; requireCurrentPassword: boolean }
  recentProofSeconds: number
  ownDeletionEnabled: boolean
  manualLinkingEnabled: boolean
  maxMetadataBytes: number
  svcForwardedForEnabled: boolean
  captcha: {
    enabled: boolean
    provider: CaptchaProvider
    secret: string | null
    hostnames: readonly string[]
    actions: readonly string[]
    minScore: number
    timeoutSeconds: number
    verify: VerifyCaptcha | null
  }
}
