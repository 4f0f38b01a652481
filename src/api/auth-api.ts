import type { SignInWithOtpInput } from '../flows/otp/otp.endpoint.ts'
import type { ResetPasswordInput } from '../flows/recover/recover.endpoint.ts'
import type { ResendInput } from '../flows/resend/resend.endpoint.ts'
import type { EnrolledFactor } from '../flows/second-factor/enrolled-factor.ts'
import type { FactorChallenge } from '../flows/second-factor/factor-challenge.ts'
import type {
  ChallengeFactorInput,
  EnrollFactorInput,
  FactorInput,
  VerifyFactorInput,
} from '../flows/second-factor/second-factor.endpoint.ts'
import type { SignOutInput } from '../flows/sign-out/sign-out.endpoint.ts'
import type { SignUpInput } from '../flows/sign-up/sign-up.endpoint.ts'
import type { CodeExchangeInput, RefreshInput, SignInInput } from '../flows/token/token.endpoint.ts'
import type { DeleteOwnUserInput, UpdateUserInput } from '../flows/user/user.endpoint.ts'
import type { ProofType } from '../flows/verify/proof-type.ts'
import type { FollowLinkInput, VerifyOtpInput } from '../flows/verify/verify.endpoint.ts'
import type { PasswordWeakness } from '../passwords/password-policy.ts'
import type { RedirectDecision } from '../redirects/explain-redirect.ts'
import type { SessionInfo } from '../sessions/session-info.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'
import type { User } from '../users/user.ts'
import type { CallOptions } from './call-options.ts'

/** Whoever has the token. */
export interface BearerInput {
  accessToken: string
}

export interface SignUpResult {
  user: User
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

export interface SignInResult {
  user: User
  session: SessionTokens
}

export interface PasswordSignInResult extends SignInResult {
  /** Which of today's rules for new passwords the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

export interface VerifyOtpResult {
  user: User
  /** Null while the other of two addresses has yet to confirm a change of email. */
  session: SessionTokens | null
  /** What the code or link was for. */
  type: ProofType
}

/** A message is on its way. */
export interface SentMessage {
  /** Its id in the outbox. Where nothing is sent, so that the answer does not tell, a random one. */
  messageId: string
}

/**
 * What users do, called from code: the public endpoints, through the same checks. Every method throws
 * `AuthError` with the code of the wire.
 *
 * Methods that send messages spend the same intervals and budgets as the endpoints: a 429 has
 * `details.retryAfterSeconds`. They answer before the message is sent.
 */
export interface AuthApi {
  /**
   * Signs up by email or phone. Unless the configuration confirms addresses by itself, a link and code go
   * there.
   *
   * @throws AuthError `anonymous_provider_disabled`, `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_provider_disabled`,
   *   `signup_disabled`, `sms_send_failed`, `user_already_exists`, `weak_password`, `validation_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signUp(input: SignUpInput, options?: CallOptions): Promise<SignUpResult>
  /**
   * Signs in by email or phone and password.
   *
   * @throws AuthError `email_not_confirmed`, `email_provider_disabled`, `invalid_credentials`,
   *   `over_request_rate_limit` (429) after too many wrong passwords, `phone_not_confirmed`,
   *   `phone_provider_disabled`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithPassword(input: SignInInput, options?: CallOptions): Promise<PasswordSignInResult>
  /**
   * Sends a link and code that sign in, by mail, or a code by SMS.
   *
   * @throws AuthError `email_address_not_authorized`, `email_provider_disabled`, `otp_disabled` for an unknown
   *   address with `createUser: false`, `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429),
   *   `phone_provider_disabled`, `signup_disabled`, `sms_send_failed`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithOtp(input: SignInWithOtpInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Mails a link and code that sign in a user who forgot the password; `updateUser` then sets a new one.
   * Whether anybody has the address does not show.
   *
   * @throws AuthError `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  resetPasswordForEmail(input: ResetPasswordInput, options?: CallOptions): Promise<void>
  /**
   * Sends the message of a sign-up or a change of address again; what was sent before it is good no more.
   * Whether there was anything to send does not show.
   *
   * @throws AuthError `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_provider_disabled`,
   *   `sms_send_failed`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  resend(input: ResendInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Proves an address by what was sent there, once, and signs in.
   *
   * @throws AuthError `email_exists`, `otp_expired` for whatever is unknown, spent or too old, `phone_exists`,
   *   `weak_password`, `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  verifyOtp(input: VerifyOtpInput, options?: CallOptions): Promise<VerifyOtpResult>
  /**
   * Does what a link in a mail does, and tells the URL to send the browser to: with a session in its fragment,
   * a code for one in its query, or `error_code`.
   *
   * @throws AuthError `validation_failed` for a link without type or token, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  followLink(input: FollowLinkInput, options?: CallOptions): Promise<{ redirectTo: string }>
  /**
   * Trades the code that a link ended in for a session, within 5 minutes, once.
   *
   * @throws AuthError `bad_code_verifier`, `flow_state_expired`, `flow_state_not_found`, `invalid_credentials`,
   *   `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  exchangeCodeForSession(input: CodeExchangeInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Renews a session by its refresh token, which is good for this once.
   *
   * @throws AuthError `invalid_credentials`, `refresh_token_already_used`, `refresh_token_not_found`,
   *   `session_expired`, `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  refreshSession(input: RefreshInput, options?: CallOptions): Promise<SignInResult>
  /**
   * The user whose token it is, as stored at this moment.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  getUser(input: BearerInput, options?: CallOptions): Promise<User>
  /**
   * A new password ends the user's other sessions. A new address shows as `newEmail` or `newPhone` until it is
   * confirmed.
   *
   * @throws AuthError `conflict`, `current_password_invalid`, `current_password_required`,
   *   `email_address_not_authorized`, `email_exists`, `email_provider_disabled`, `insufficient_aal`,
   *   `not_admin`, `over_email_send_rate_limit` (429), `over_request_rate_limit` (429) after too many wrong
   *   passwords, `over_sms_send_rate_limit` (429), `phone_exists`, `phone_provider_disabled`,
   *   `reauthentication_needed`, `reauthentication_not_valid`, `same_password`, `session_expired`,
   *   `sms_send_failed`, `weak_password`, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`,
   *   `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<User>
  /**
   * Erases the user, who proves anew who they are: by the password, or by a code from `reauthenticate`. It
   * needs no setting, unlike the endpoint.
   *
   * @throws AuthError `conflict`, `insufficient_aal`, `invalid_credentials`, `over_request_rate_limit` (429)
   *   after too many wrong passwords, `reauthentication_needed` without either, `reauthentication_not_valid`,
   *   `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  deleteUser(input: DeleteOwnUserInput, options?: CallOptions): Promise<void>
  /**
   * Sends the user a code, which `updateUser` takes as `nonce` with a new password, and `deleteUser`.
   *
   * @throws AuthError `email_address_not_authorized`, `email_not_confirmed`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_not_confirmed`,
   *   `sms_send_failed`, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed` also for a user without any address, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  reauthenticate(input: BearerInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Begins to enroll a second factor, which counts once a challenge to it is answered.
   *
   * @throws AuthError `insufficient_aal` in a session without the factor that the user has already,
   *   `mfa_factor_name_conflict`, `mfa_phone_enroll_not_enabled`, `mfa_totp_enroll_not_enabled`,
   *   `mfa_verified_factor_exists`, `mfa_webauthn_enroll_not_enabled`, `too_many_enrolled_mfa_factors`,
   *   `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  enrollFactor(input: EnrollFactorInput, options?: CallOptions): Promise<EnrolledFactor>
  /**
   * Begins to prove a factor; a phone is sent a code.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `mfa_phone_verify_not_enabled`,
   *   `mfa_totp_verify_not_enabled`, `mfa_webauthn_verify_not_enabled`, `over_sms_send_rate_limit` (429),
   *   `sms_send_failed`, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  challengeFactor(input: ChallengeFactorInput, options?: CallOptions): Promise<FactorChallenge>
  /**
   * Proves a factor: the session rises to `aal2` and gets new tokens, and weaker sessions of the user end.
   *
   * @throws AuthError `insufficient_aal`, `mfa_challenge_expired`, `mfa_factor_not_found`,
   *   `mfa_ip_address_mismatch`, `mfa_phone_verify_not_enabled`, `mfa_totp_verify_not_enabled`,
   *   `mfa_verification_failed`, `mfa_verification_rejected`, `mfa_webauthn_verify_not_enabled`,
   *   `over_request_rate_limit` (429) after too many wrong codes, `session_expired`, `no_authorization`,
   *   `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyFactor(input: VerifyFactorInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Removes a factor; sessions that it proved are `aal1` again.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  unenrollFactor(input: FactorInput, options?: CallOptions): Promise<void>
  /**
   * Ends all sessions of the user (`global`, the default), this one, or all others.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signOut(input: SignOutInput, options?: CallOptions): Promise<void>
  /**
   * The user's sessions, the one that was used last first.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  listSessions(input: BearerInput, options?: CallOptions): Promise<SessionInfo[]>
  /**
   * Ends one of the user's sessions.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `session_not_found` (404 for the one that is to end),
   *   `user_not_found`, `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  revokeSession(
    input: { accessToken: string; sessionId: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Whether people may be sent to this URL, and by which rule; else why not, in words.
   *
   * @throws AuthError `bad_json`, `service_unavailable` (503).
   */
  explainRedirect(url: string): Promise<RedirectDecision>
}
