/**
 * The moments at which the application is asked or told.
 *
 * Not built yet, and refused at start because they may refuse somebody or change a token:
 * `customAccessToken`, `beforeUserCreated`, `passwordVerificationAttempt`. Not built yet, and without effect:
 * `afterUserCreated`, which is warned about.
 */
export type HookPoint =
  | 'mfaVerificationAttempt'
  | 'passwordVerificationAttempt'
  | 'customAccessToken'
  | 'sendEmail'
  | 'sendSms'
  | 'beforeUserCreated'
  | 'afterUserCreated'

/** A hook over HTTP, signed by Standard Webhooks. Naming a hook switches it on. */
export interface HookConfig {
  /** Default true for a hook that is named. */
  enabled?: boolean | undefined
  /** `https:`, `http:` to loopback and private hosts, or `pg-functions:`. */
  uri?: string | undefined
  /** `v1,whsec_…`; several, as an array or separated by `|`, make a rotation. */
  secrets?: string | readonly string[] | undefined
}

/** What every hook is told of its call. */
export interface HookMetadata {
  /** Names the call. The same when a message is tried again. */
  uuid: string
  /** When it happened, as RFC 3339 writes it. */
  time: string
  name: string
  /** The client's address, where it is known. */
  ip_address?: string
}

/** A user as the wire has it. */
export interface HookUser {
  id: string
  /** Empty where there is none; so is `phone`. */
  email: string
  /** The digits of E.164, without `+`. */
  phone: string
  user_metadata: Readonly<Record<string, unknown>>
  app_metadata: Readonly<Record<string, unknown>>
  [member: string]: unknown
}

/** A mail to send: what a template would be given. What does not apply is empty. */
export interface SendEmailPayload {
  metadata: HookMetadata
  user: HookUser
  email_data: {
    /** The code. */
    token: string
    /** The link's secret. */
    token_hash: string
    redirect_to: string
    /** `signup`, `recovery`, `invite`, `magiclink`, `email_change`, `reauthentication`, or a notification. */
    email_action_type: string
    /** Where Latchkey is reached. */
    site_url: string
    /** With a change of address that both confirm: the code for the new one. */
    token_new: string
    /** The same: the secret for the current one. */
    token_hash_new: string
    old_email: string
    old_phone: string
    provider: string
    factor_type: string
  }
}

/** A code to send. */
export interface SendSmsPayload {
  metadata: HookMetadata
  user: HookUser
  sms: { otp: string; phone: string; sms_type?: 'mfa' }
}

/** An attempt to prove a second factor. The answer `{ decision: 'reject', message }` ends all sessions. */
export interface MfaVerificationPayload {
  metadata: HookMetadata
  user_id: string
  factor_id: string
  factor_type: 'totp' | 'phone' | 'recovery_code'
  /** Whether the code was right. */
  valid: boolean
}

interface HookPayloads extends Record<HookPoint, Readonly<Record<string, unknown>>> {
  sendEmail: SendEmailPayload & Readonly<Record<string, unknown>>
  sendSms: SendSmsPayload & Readonly<Record<string, unknown>>
  mfaVerificationAttempt: MfaVerificationPayload & Readonly<Record<string, unknown>>
}

/** A hook in the same process: takes what an HTTP hook would be sent, answers what it would. */
export type HookFunction<Point extends HookPoint = HookPoint> = (
  payload: HookPayloads[Point],
) => unknown

export interface ResolvedHook {
  enabled: boolean
  uri: string | null
  secrets: readonly string[]
  /** Set when the hook is a function; then there is no `uri`. */
  run: HookFunction | null
}
