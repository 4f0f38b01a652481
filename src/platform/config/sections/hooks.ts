import type { CapabilityEvents } from '../../capability-terms.ts'
import type { FactorType } from '../../factor-kinds/factor-kinds.ts'

/** The operations that call a hook or report an event. */
export type HookPoint =
  | 'mfaVerificationAttempt'
  | 'passwordVerificationAttempt'
  | 'customAccessToken'
  | 'sendEmail'
  | 'sendSms'
  | 'beforeUserCreated'
  | 'afterUserCreated'
  | 'events'

/** A hook over HTTP, signed by Standard Webhooks. Naming a hook enables it. */
export interface HookConfig {
  /** Default true for a configured hook. */
  enabled?: boolean | undefined
  /** `https:`, `http:` to loopback and private hosts, or `pg-functions:`. */
  uri?: string | undefined
  /** `v1,whsec_…`; several, as an array or separated by `|`, make a rotation. */
  secrets?: string | readonly string[] | undefined
}

/** The metadata of a hook call. */
export interface HookMetadata {
  /** The id of the call. The same when a message is retried. */
  uuid: string
  /** The time of the event, in the format of RFC 3339. */
  time: string
  name: string
  /** The client's address, if it is known. */
  ip_address?: string
}

/** A user in the wire form. */
export interface HookUser {
  id: string
  /** Empty if there is none; so is `phone`. */
  email: string
  /** The digits of E.164, without `+`. */
  phone: string
  user_metadata: Readonly<Record<string, unknown>>
  app_metadata: Readonly<Record<string, unknown>>
  [member: string]: unknown
}

/** A mail to send, with the data of a template. Members that do not apply are empty. */
export interface SendEmailPayload {
  metadata: HookMetadata
  user: HookUser
  email_data: {
    /** The code. */
    token: string
    /** The link's secret. */
    token_hash: string
    redirect_to: string
    /**
     * `signup`, `recovery`, `invite`, `magiclink`, `email_change`, `reauthentication`, or a
     * notification.
     */
    email_action_type: string
    /** The URL of the service. */
    site_url: string
    /** If both addresses confirm a change: the code for the new one. */
    token_new: string
    /** If both addresses confirm a change: the secret for the current one. */
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
  sms: {
    otp: string
    phone: string
    /** The channel that the client requested, such as `whatsapp`; absent for an SMS. */
    channel?: string
    /** Absent for a code that signs a user in or confirms a number. */
    sms_type?: 'mfa' | 'credential'
    /** The passkey or identity that the code confirms, where `sms_type` is `credential`. */
    provider?: string
  }
}

/**
 * An attempt to verify a second factor. The response `{ decision: 'reject', message }` ends all
 * sessions.
 */
export interface MfaVerificationPayload {
  metadata: HookMetadata
  user_id: string
  factor_id: string
  factor_type: FactorType
  /** Whether the code or signature was correct. */
  valid: boolean
}

/** An access token before it is signed. The response `{ claims }` replaces its claims. */
export interface CustomAccessTokenPayload {
  metadata: HookMetadata
  user_id: string
  /**
   * The claims of the token. One for an OAuth client has `client_id` and `scope`, and as `aud` the
   * `resource` that it is for.
   */
  claims: Readonly<Record<string, unknown>>
  /**
   * The method of the sign-in, such as `password`, `otp` or `totp`; `token_refresh` for a renewed
   * session.
   */
  authentication_method: string
}

/**
 * A password submitted for sign-in. The response `{ decision: 'reject', message, should_logout_user
 * }` rejects it, correct or not.
 */
export interface PasswordVerificationPayload {
  metadata: HookMetadata
  /**
   * The user; for an unknown address an id that is derived from the address and belongs to no user.
   */
  user_id: string
  /** Whether the password was correct. */
  valid: boolean
}

/** A new user, before it is stored. The response `{ error: { http_code, message } }` rejects it. */
export interface BeforeUserCreatedPayload {
  metadata: HookMetadata
  user: HookUser
}

/** A user that was created. */
export interface AfterUserCreatedPayload {
  metadata: HookMetadata
  user: HookUser
}

/**
 * The data of an event beside its type and user, by its type. It contains no addresses or secrets.
 */
export interface AuthEventData extends CapabilityEvents {
  'user.created': Readonly<Record<never, never>>
  'user.deleted': Readonly<Record<never, never>>
  'email.changed': Readonly<Record<never, never>>
  'phone.changed': Readonly<Record<never, never>>
  'password.changed': Readonly<Record<never, never>>
  'identity.linked': { provider: string }
  'identity.unlinked': { provider: string }
  /** `method` is the method that established the session, as in `amr`. */
  'session.opened': { session_id: string; method: string }
  'factor.verified': { factor_id: string; factor_type: string }
  'factor.removed': { factor_id: string; factor_type: string }
  'passkey.registered': { passkey_id: string }
  'passkey.removed': { passkey_id: string }
  'recovery_codes.generated': { factor_id: string }
  'recovery_code.used': { factor_id: string; session_id: string }
  'session.ended': EndedSessions
}

/** The sessions of a user that ended, and the reason. */
export interface EndedSessions {
  /** `local`: the session of `session_id`. `others`: all but that. `global`: all. */
  scope: 'local' | 'others' | 'global'
  /**
   * Null if all ended, or if the access token of a sign-out contains no session id, such as one of
   * the former service.
   */
  session_id: string | null
  /**
   * `sign_out`: the user signed out. `revoked`: the user, in another session, or an operator
   * revoked them. `rejected`: a hook of the application did. `token_reused`: a refresh token was
   * used again, as by a thief.
   */
  reason: 'sign_out' | 'revoked' | 'rejected' | 'token_reused'
}

export type AuthEventType = keyof AuthEventData

/** An event that concerns a user. */
export type AuthEvent = {
  [Type in AuthEventType]: {
    /** `uuid` is the id of the event, the same at each delivery. */
    metadata: HookMetadata
    type: Type
    user_id: string
    data: AuthEventData[Type]
  }
}[AuthEventType]

interface HookPayloads extends Record<HookPoint, Readonly<Record<string, unknown>>> {
  sendEmail: SendEmailPayload & Readonly<Record<string, unknown>>
  sendSms: SendSmsPayload & Readonly<Record<string, unknown>>
  mfaVerificationAttempt: MfaVerificationPayload & Readonly<Record<string, unknown>>
  passwordVerificationAttempt: PasswordVerificationPayload & Readonly<Record<string, unknown>>
  customAccessToken: CustomAccessTokenPayload & Readonly<Record<string, unknown>>
  beforeUserCreated: BeforeUserCreatedPayload & Readonly<Record<string, unknown>>
  afterUserCreated: AfterUserCreatedPayload & Readonly<Record<string, unknown>>
  events: AuthEvent & Readonly<Record<string, unknown>>
}

/** A hook's rejection. A function may throw an AuthError instead, which also sets the code. */
export interface HookRefusal {
  /** `http_code` is 400 to 599; default 500. `message` is returned to the client. */
  error: { http_code?: number; message: string }
}

/** A hook's decision about an attempt to verify a factor. */
export type AttemptDecision = { decision: 'continue' } | { decision: 'reject'; message?: string }

/**
 * A hook's decision about a sign-in by password. `should_logout_user` ends all sessions of the
 * user.
 */
export type PasswordDecision = AttemptDecision & { should_logout_user?: boolean }

/** The claims that replace a token's. */
export interface CustomizedClaims {
  claims: Readonly<Record<string, unknown>>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing.
type Nothing = void | null | Readonly<Record<string, never>>

interface HookAnswers extends Record<HookPoint, unknown> {
  sendEmail: HookRefusal | Nothing
  sendSms: HookRefusal | Nothing
  mfaVerificationAttempt: AttemptDecision | HookRefusal | Nothing
  passwordVerificationAttempt: PasswordDecision | HookRefusal | Nothing
  customAccessToken: CustomizedClaims | HookRefusal
  beforeUserCreated: HookRefusal | Nothing
  afterUserCreated: HookRefusal | Nothing
  events: HookRefusal | Nothing
}

/**
 * A hook in the same process: has the request of an HTTP hook as its argument, and returns its
 * response.
 */
export type HookFunction<Point extends HookPoint = HookPoint> = (
  payload: HookPayloads[Point],
) => HookAnswers[Point] | Promise<HookAnswers[Point]>

export interface ResolvedHook {
  enabled: boolean
  uri: string | null
  secrets: readonly string[]
  /** Set if the hook is a function; `uri` is then null. */
  run: HookFunction | null
}
