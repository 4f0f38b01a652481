import { capabilityErrorCodes } from '../capability-terms.ts'
import {
  type FactorOwnError,
  factorOwnErrors,
  factorSwitchErrors,
} from '../factor-kinds/factor-kinds.ts'

/**
 * All error codes, in a thrown {@link AuthError} as on the wire. Codes are stable between minor
 * versions; new ones may be added.
 */
export const authErrorCodes = [
  'address_too_new',
  'anonymous_provider_disabled',
  'bad_code_verifier',
  'bad_json',
  'bad_jwt',
  'bad_oauth_callback',
  'bad_oauth_state',
  'captcha_failed',
  'conflict',
  'current_password_invalid',
  'current_password_required',
  'email_address_invalid',
  'email_address_not_authorized',
  'email_conflict_identity_not_deletable',
  'email_exists',
  'email_not_confirmed',
  'email_provider_disabled',
  'flow_state_expired',
  'flow_state_not_found',
  'hook_payload_invalid_content_type',
  'hook_payload_over_size_limit',
  'hook_timeout',
  'hook_timeout_after_retry',
  'identity_already_exists',
  'identity_not_found',
  'insufficient_aal',
  'invalid_credentials',
  'invite_not_found',
  'manual_linking_disabled',
  'method_not_allowed',
  'mfa_challenge_expired',
  'mfa_factor_name_conflict',
  'mfa_factor_not_found',
  'mfa_ip_address_mismatch',
  'mfa_recovery_codes_enroll_not_enabled',
  'mfa_recovery_codes_locked',
  'mfa_recovery_codes_sole_factor',
  'mfa_recovery_codes_verify_not_enabled',
  'mfa_verification_failed',
  'mfa_verification_rejected',
  'mfa_verified_factor_exists',
  'no_authorization',
  'not_admin',
  'not_found',
  'origin_not_allowed',
  'otp_disabled',
  'otp_expired',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
  'over_sms_send_rate_limit',
  'passkey_disabled',
  'phone_exists',
  'phone_not_confirmed',
  'phone_provider_disabled',
  'provider_disabled',
  'provider_email_needs_verification',
  'provider_token_expired',
  'provider_token_not_found',
  'reauthentication_needed',
  'reauthentication_not_valid',
  'refresh_token_already_used',
  'refresh_token_not_found',
  'request_entity_too_large',
  'request_timeout',
  'same_password',
  'saml_provider_disabled',
  'service_unavailable',
  'session_expired',
  'session_not_found',
  'sign_in_method_suspended',
  'signup_disabled',
  'single_identity_not_deletable',
  'sms_send_failed',
  'too_many_enrolled_mfa_factors',
  'too_many_identities',
  'unexpected_audience',
  'too_many_passkeys',
  ...capabilityErrorCodes,
  'unexpected_failure',
  'unknown',
  'user_already_exists',
  'user_banned',
  'user_not_found',
  'user_sso_managed',
  'username_exists',
  'validation_failed',
  'weak_password',
  'web3_provider_disabled',
  'web3_unsupported_chain',
  'webauthn_challenge_expired',
  'webauthn_challenge_not_found',
  'webauthn_credential_exists',
  'webauthn_verification_failed',
  ...factorSwitchErrors('enroll'),
  ...factorSwitchErrors('verify'),
  ...(Object.keys(factorOwnErrors) as FactorOwnError[]),
] as const

export type AuthErrorCode = (typeof authErrorCodes)[number]

/**
 * The reason why a password is weak. `characters`: it lacks one of a required set. `pwned`: it is
 * known from breaches.
 */
export const weakPasswordReasons = ['length', 'characters', 'pwned'] as const

export type WeakPasswordReason = (typeof weakPasswordReasons)[number]

/** The user's next step: enroll a second factor, verify one (again), or sign in again. */
export const stepUpActions = ['enroll', 'verify', 'sign_in'] as const

export type StepUpAction = (typeof stepUpActions)[number]

/** The details of some errors, beside code and message. */
export interface AuthErrorDetails {
  /** With `weak_password`: each rule that the password violates. */
  weakPasswordReasons?: readonly WeakPasswordReason[]
  /** With status 429 and 503: seconds until a new attempt may succeed. */
  retryAfterSeconds?: number
  /**
   * The step that the user has to complete before the request succeeds: for `requireUser` with
   * `aal` or `within`, and for endpoints that add a credential. On the wire it is `step_up`. Absent
   * if it is unknown, as with `strict: false` for a user that may have no second factor.
   */
  stepUp?: StepUpAction
  /** With status 405: the methods of the path. */
  allowedMethods?: readonly string[]
  /**
   * On endpoints that respond as in OAuth: its error code, such as `invalid_grant`.
   *
   * @see RFC 6749 §5.2
   */
  oauthError?: string
  /** Whether a hook of the application wrote the message: it is for the user, and pages show it. */
  isHookMessage?: boolean
}

const brand = Symbol.for('latchkey.AuthError')

/**
 * A rejection: an expected error that the caller's input or the account's state explains. Faults
 * are never an AuthError.
 *
 * `code` is stable and for programs, `message` for people; neither contains a secret or an address.
 */
export class AuthError extends Error {
  /**
   * Recognizes instances of all copies of this class, since a bundler may include several. A
   * subclass recognizes its own instances only.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`
    if (this !== AuthError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && brand in value
  }

  /** @internal */
  readonly [brand] = true
  override readonly name = 'AuthError'
  readonly code: AuthErrorCode
  /** The HTTP status of the response. */
  readonly status: number
  readonly details: AuthErrorDetails

  constructor(
    code: AuthErrorCode,
    status: number,
    message: string,
    details: AuthErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.status = status
    this.details = details
  }

  /**
   * Returns a response with the status, the code and the message. Hono sends it for an error that a
   * route throws.
   */
  getResponse(): Response {
    const { code, message, status } = this
    const { retryAfterSeconds } = this.details
    return Response.json(
      { code, message },
      {
        status,
        headers: {
          'cache-control': 'no-store',
          ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
        },
      },
    )
  }
}
