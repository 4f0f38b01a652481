import type { Seconds } from './values.ts'

export type CaptchaProvider = 'hcaptcha' | 'turnstile'

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
  /** Captchas where strangers may send requests. Not built yet: switching them on is refused at start. */
  captcha?:
    | {
        /** Default false. Not built yet: refused at start. */
        enabled?: boolean | undefined
        /** Default `hcaptcha`; any letter case. */
        provider?: CaptchaProvider | undefined
        secret?: string | undefined
        /** Default 10. */
        timeoutSeconds?: Seconds | undefined
      }
    | undefined
}

export interface ResolvedSecurity {
  refreshTokens: { rotationEnabled: boolean; reuseIntervalSeconds: number }
  passwordUpdate: { requireReauthentication: boolean; requireCurrentPassword: boolean }
  ownDeletionEnabled: boolean
  manualLinkingEnabled: boolean
  maxMetadataBytes: number
  svcForwardedForEnabled: boolean
  captcha: {
    enabled: boolean
    provider: CaptchaProvider
    secret: string | null
    timeoutSeconds: number
  }
}
