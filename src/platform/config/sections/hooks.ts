/** The moments at which the application is asked or told. */
export type HookPoint =
  | 'mfaVerificationAttempt'
  | 'passwordVerificationAttempt'
  | 'customAccessToken'
  | 'sendEmail'
  | 'sendSms'
  | 'beforeUserCreated'
  | 'afterUserCreated'
  | 'events'

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
  factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code'
  /** Whether the proof was right. */
  valid: boolean
}

/** An access token that is about to be signed. The answer is `{ claims }`: what it says in their place. */
export interface CustomAccessTokenPayload {
  metadata: HookMetadata
  user_id: string
  /** What the token would say. */
  claims: Readonly<Record<string, unknown>>
  /** What the sign-in rests on, such as `password`, `otp` or `totp`; `token_refresh` where a session is renewed. */
  authentication_method: string
}

/**
 * A password that somebody signs in with. The answer `{ decision: 'reject', message, should_logout_user }` refuses it, right
 * or wrong.
 */
export interface PasswordVerificationPayload {
  metadata: HookMetadata
  /** Whose it is; where nobody has the address, an id that stands for the address, and is nobody's. */
  user_id: string
  /** Whether the password was right. */
  valid: boolean
}

/** Somebody who is to be a user, and is not stored yet. The answer `{ error: { http_code, message } }` refuses them. */
export interface BeforeUserCreatedPayload {
  metadata: HookMetadata
  user: HookUser
}

/** A user who was made. */
export interface AfterUserCreatedPayload {
  metadata: HookMetadata
  user: HookUser
}

/** What an event says beside its type and whose it is, by its type. Addresses and secrets are in none. */
export interface AuthEventData {
  'user.created': Readonly<Record<never, never>>
  'user.deleted': Readonly<Record<never, never>>
  'email.changed': Readonly<Record<never, never>>
  'phone.changed': Readonly<Record<never, never>>
  'password.changed': Readonly<Record<never, never>>
  'identity.linked': { provider: string }
  'identity.unlinked': { provider: string }
  /** `method` is what the session was proved by, as in `amr`. */
  'session.opened': { session_id: string; method: string }
  'factor.verified': { factor_id: string; factor_type: string }
  'factor.removed': { factor_id: string; factor_type: string }
  'passkey.registered': { passkey_id: string }
  'passkey.removed': { passkey_id: string }
  'recovery_codes.generated': { factor_id: string }
  'recovery_code.used': { factor_id: string; session_id: string }
  'trusted_device.added': { device_id: string }
  /** `device_id` is null where a secret of it was used again, as by whoever copied it. */
  'trusted_device.removed': { device_id: string | null }
  'session.ended': EndedSessions
}

/** Which sessions of a user ended, and why. */
export interface EndedSessions {
  /** `local`: the session of `session_id`. `others`: all but that. `global`: all. */
  scope: 'local' | 'others' | 'global'
  /** Null where all ended, or one that came from another service under a token of that. */
  session_id: string | null
  /**
   * `sign_out`: the user left. `revoked`: the user or an operator ended them from elsewhere. `rejected`: a hook of the
   * application did. `token_reused`: a refresh token was used again, as by whoever stole it.
   */
  reason: 'sign_out' | 'revoked' | 'rejected' | 'token_reused'
}

export type AuthEventType = keyof AuthEventData

/** Something that has happened to a user. */
export type AuthEvent = {
  [Type in AuthEventType]: {
    /** `uuid` is that of the event: the same however often it is told. */
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

/** A hook's no. A function may throw an AuthError in its place, which names the code as well. */
export interface HookRefusal {
  /** `http_code` is 400 to 599, and 500 by default. `message` is told to whoever asked. */
  error: { http_code?: number; message: string }
}

/** What a hook says of an attempt to prove a factor. */
export type AttemptDecision = { decision: 'continue' } | { decision: 'reject'; message?: string }

/** What a hook says of a sign-in by password. `should_logout_user` ends all sessions of the user. */
export type PasswordDecision = AttemptDecision & { should_logout_user?: boolean }

/** What a token is to say, in place of what it would. */
export interface CustomizedClaims {
  claims: Readonly<Record<string, unknown>>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says nothing.
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

/** A hook in the same process: takes what an HTTP hook would be sent, answers what it would. */
export type HookFunction<Point extends HookPoint = HookPoint> = (
  payload: HookPayloads[Point],
) => HookAnswers[Point] | Promise<HookAnswers[Point]>

export interface ResolvedHook {
  enabled: boolean
  uri: string | null
  secrets: readonly string[]
  /** Set when the hook is a function; then there is no `uri`. */
  run: HookFunction | null
}
