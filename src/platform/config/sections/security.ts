import type { Seconds } from './values.ts'

export type CaptchaProvider = 'hcaptcha' | 'turnstile' | 'recaptcha_v2' | 'recaptcha_v3'

/** A captcha that a client says to have solved. */
export interface CaptchaAttempt {
  /** What the client got for it. */
  token: string
  /** The client's address, where it is known. */
  ip: string | null
  /** The endpoint that is asked, as in `/signup`. */
  path: string
}

/** Says whether a captcha was solved. Anything but `true`, an error and a late answer are a no. */
export type VerifyCaptcha = (attempt: CaptchaAttempt) => boolean | Promise<boolean>

/** Rules of caution that an operator may tighten or loosen. */
export interface SecurityConfig {
  refreshTokens?:
    | {
        /** Reuse of an old refresh token ends the session. Default true; false only refuses it. */
        rotationEnabled?: boolean | undefined
        /** How long the last token may be used again after it was renewed. Default 10. */
        reuseIntervalSeconds?: Seconds | undefined
      }
    | undefined
  passwordUpdate?:
    | {
        /** A change of password needs a nonce from `/reauthenticate`. Default false. */
        requireReauthentication?: boolean | undefined
        /** A change of password needs the current one. Default false. */
        requireCurrentPassword?: boolean | undefined
      }
    | undefined
  /**
   * Maximum age of the factor proof that is required to add or replace a credential of a user with a verified
   * factor. Default 600; 0 disables the check, with a warning.
   */
  recentProofSeconds?: Seconds | undefined
  /** `DELETE /user`: users may erase themselves, with a fresh proof. Default false. */
  ownDeletionEnabled?: boolean | undefined
  /** Users may link and unlink identities themselves. Default false. */
  manualLinkingEnabled?: boolean | undefined
  /**
   * How many bytes of JSON `user_metadata` may take, and `app_metadata` as well. Both travel in each access
   * token: with the default of 4096 the largest one fits the 16 KiB of headers that Node takes. At most
   * 10240: longer tokens are refused.
   */
  maxMetadataBytes?: number | undefined
  /** Believe `Svc-Forwarded-For`. Only behind a proxy that sets it. Default false. */
  svcForwardedForEnabled?: boolean | undefined
  /** Captchas where strangers may send requests. Naming them switches them on. */
  captcha?:
    | {
        /** Default true where anything beside it is given. */
        enabled?: boolean | undefined
        /** Default `hcaptcha`; any letter case. */
        provider?: CaptchaProvider | undefined
        secret?: string | undefined
        /** Hosts on which captchas may have been solved. Default: any. */
        hostnames?: readonly string[] | undefined
        /** Actions that captchas may have been solved for, of `turnstile` and `recaptcha_v3`. Default: any. */
        actions?: readonly string[] | undefined
        /** Least score, from 0 to 1, of `recaptcha_v3`. Default 0.5. */
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
