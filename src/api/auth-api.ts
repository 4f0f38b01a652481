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
 * Methods that send messages spend the same intervals and budgets as the endpoints. Beyond what is
 * listed they throw `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 * `details.retryAfterSeconds`), `email_address_not_authorized`, `sms_send_failed`. They answer before
 * the message is sent.
 */
export interface AuthApi {
  /**
   * Signs up by email or phone. Unless the configuration confirms addresses by itself, a link and code
   * go there. Errors: `weak_password`, `user_already_exists`, `signup_disabled`,
   * `email_provider_disabled`, `phone_provider_disabled`, `validation_failed`.
   */
  signUp(input: SignUpInput, options?: CallOptions): Promise<SignUpResult>
  /** Errors: `invalid_credentials`, `email_not_confirmed`, `phone_not_confirmed`, `user_banned`. */
  signInWithPassword(input: SignInInput, options?: CallOptions): Promise<PasswordSignInResult>
  /**
   * Sends a link and code that sign in, by mail, or a code by SMS. Errors: `otp_disabled` for an
   * unknown address with `createUser: false`, `signup_disabled`, `email_provider_disabled`,
   * `phone_provider_disabled`, `validation_failed`.
   */
  signInWithOtp(input: SignInWithOtpInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Mails a link and code that sign in a user who forgot the password; `updateUser` then sets a new
   * one. Whether anybody has the address does not show. Errors: `email_provider_disabled`,
   * `validation_failed`.
   */
  resetPasswordForEmail(input: ResetPasswordInput, options?: CallOptions): Promise<void>
  /**
   * Sends the message of a sign-up or a change of address again; what was sent before it is good no
   * more. Whether there was anything to send does not show. Errors: `email_provider_disabled`,
   * `phone_provider_disabled`, `validation_failed`.
   */
  resend(input: ResendInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Proves an address by what was sent there, once, and signs in. Errors: `otp_expired` (403) for
   * whatever is unknown, spent or too old, `user_banned`, `weak_password`, `validation_failed`.
   */
  verifyOtp(input: VerifyOtpInput, options?: CallOptions): Promise<VerifyOtpResult>
  /**
   * Does what a link in a mail does, and tells the URL to send the browser to: with a session in its
   * fragment, a code for one in its query, or `error_code`. Errors: `validation_failed` for a link
   * without type or token.
   */
  followLink(input: FollowLinkInput, options?: CallOptions): Promise<{ redirectTo: string }>
  /**
   * Trades the code that a link ended in for a session, within 5 minutes, once. Errors:
   * `flow_state_not_found`, `flow_state_expired`, `bad_code_verifier`, `user_banned`,
   * `validation_failed`.
   */
  exchangeCodeForSession(input: CodeExchangeInput, options?: CallOptions): Promise<SignInResult>
  /** Errors: `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`. */
  refreshSession(input: RefreshInput, options?: CallOptions): Promise<SignInResult>
  /** Errors: `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`. */
  getUser(input: BearerInput, options?: CallOptions): Promise<User>
  /**
   * A new password ends the user's other sessions. A new address shows as `newEmail` or `newPhone`
   * until it is confirmed. Errors: those of `getUser`, `weak_password`, `same_password`,
   * `current_password_required`, `current_password_invalid`, `reauthentication_needed`,
   * `reauthentication_not_valid`, `email_exists`, `phone_exists`, `validation_failed`.
   */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<User>
  /**
   * Erases the user, who proves anew who they are: by the password, or by a code from `reauthenticate`.
   * It needs no setting, unlike the endpoint. Errors: those of `getUser`, `reauthentication_needed`
   * without either, `invalid_credentials`, `reauthentication_not_valid`, `over_request_rate_limit` (429)
   * after too many wrong passwords.
   */
  deleteUser(input: DeleteOwnUserInput, options?: CallOptions): Promise<void>
  /**
   * Sends the user a code, which `updateUser` takes as `nonce` with a new password, and `deleteUser`. Errors: those of
   * `getUser`, `email_not_confirmed`, `phone_not_confirmed`, `validation_failed` for a user without
   * any address.
   */
  reauthenticate(input: BearerInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Begins to enroll a second factor, which counts once a challenge to it is answered. Errors: those of
   * `getUser`, `mfa_totp_enroll_not_enabled`, `mfa_phone_enroll_not_enabled`,
   * `mfa_factor_name_conflict`, `mfa_verified_factor_exists`, `too_many_enrolled_mfa_factors`,
   * `insufficient_aal` in a session without the factor that the user has already, `validation_failed`.
   */
  enrollFactor(input: EnrollFactorInput, options?: CallOptions): Promise<EnrolledFactor>
  /**
   * Begins to prove a factor; a phone is sent a code. Errors: those of `getUser`,
   * `mfa_factor_not_found`, `mfa_totp_verify_not_enabled`, `mfa_phone_verify_not_enabled`,
   * `sms_send_failed`, `over_sms_send_rate_limit` (429).
   */
  challengeFactor(input: ChallengeFactorInput, options?: CallOptions): Promise<FactorChallenge>
  /**
   * Proves a factor: the session rises to `aal2` and gets new tokens, and weaker sessions of the user
   * end. Errors: those of `getUser`, `mfa_verification_failed`, `mfa_challenge_expired`,
   * `mfa_ip_address_mismatch`, `mfa_factor_not_found`, `mfa_verification_rejected`,
   * `over_request_rate_limit` after too many wrong codes.
   */
  verifyFactor(input: VerifyFactorInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Removes a factor; sessions that it proved are `aal1` again. Errors: those of `getUser`,
   * `mfa_factor_not_found`, `insufficient_aal`.
   */
  unenrollFactor(input: FactorInput, options?: CallOptions): Promise<void>
  /** Ends all sessions of the user (`global`, the default), this one, or all others. */
  signOut(input: SignOutInput, options?: CallOptions): Promise<void>
  /** The user's sessions, the one that was used last first. Errors: those of `getUser`. */
  listSessions(input: BearerInput, options?: CallOptions): Promise<SessionInfo[]>
  /** Ends one of the user's sessions. Errors: those of `getUser`, `session_not_found` (404). */
  revokeSession(
    input: { accessToken: string; sessionId: string },
    options?: CallOptions,
  ): Promise<void>
  /** Whether people may be sent to this URL, and by which rule; else why not, in words. */
  explainRedirect(url: string): Promise<RedirectDecision>
}
