import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import type {
  ListSessionsInput,
  SessionInfo,
  SessionTokens,
} from '../../accounts/sessions/session-info.ts'
import type { RecoveryCodesStatus, User } from '../../accounts/users/user.ts'
import type {
  NewTrustedDevice,
  TrustedDevice,
  TrustedDeviceInput,
  VerifyTrustedDeviceInput,
} from '../../capabilities/trusted-devices/trusted-device.ts'
import type { PasswordWeakness } from '../../credentials/passwords/password-errors.ts'
import type { SignInWithOAuthInput } from '../../endpoints/external-sign-in/external-sign-in.endpoint.ts'
import type {
  IdentityInput,
  LinkIdentityInput,
} from '../../endpoints/identities/identities.endpoint.ts'
import type { SignInWithOtpInput } from '../../endpoints/otp/otp.endpoint.ts'
import type {
  PasskeyAuthentication,
  PasskeyInput,
  PasskeyRegistration,
  StartPasskeySignUpInput,
  UpdatePasskeyInput,
  VerifyPasskeyAuthenticationInput,
  VerifyPasskeyRegistrationInput,
  VerifyPasskeySignUpInput,
} from '../../endpoints/passkeys/passkeys.endpoint.ts'
import type { ResetPasswordInput } from '../../endpoints/recover/recover.endpoint.ts'
import type { ResendInput } from '../../endpoints/resend/resend.endpoint.ts'
import type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
  VerifyRecoveryCodeInput,
} from '../../endpoints/second-factor/recovery-codes.endpoint.ts'
import type {
  ChallengeFactorInput,
  EnrolledFactor,
  EnrollFactorInput,
  FactorChallenge,
  FactorInput,
  VerifyFactorInput,
} from '../../endpoints/second-factor/second-factor.endpoint.ts'
import type { SessionInput } from '../../endpoints/sessions/sessions.endpoint.ts'
import type { SignOutInput } from '../../endpoints/sign-out/sign-out.endpoint.ts'
import type {
  SignInAnonymouslyInput,
  SignUpInput,
} from '../../endpoints/sign-up/sign-up.endpoint.ts'
import type {
  ExchangeCodeInput,
  RefreshSessionInput,
  SignInWithIdTokenInput,
  SignInWithPasswordInput,
  SignInWithWeb3Input,
} from '../../endpoints/token/token.endpoint.ts'
import type { DeleteOwnUserInput, UpdateOwnUserInput } from '../../endpoints/user/user.endpoint.ts'
import type {
  FollowLinkInput,
  ProofType,
  VerifyOtpInput,
} from '../../endpoints/verify/verify.endpoint.ts'
import type { RedirectDecision } from '../../limits/redirects/explain-redirect.ts'
import type {
  ExternalTokens,
  ProviderAccessToken,
} from '../../platform/config/sections/provider-definition.ts'
import type { CallOptions } from './call-options.ts'
import type { OauthApi } from './oauth-api.ts'

/** The input of a call for a signed-in user. @see RFC 6750 */
export interface BearerInput {
  accessToken: string
}

export interface SignUpResult {
  /**
   * The new user. For a confirmed address of another user, where addresses must be confirmed, a
   * decoy user: apart from its empty `identities`, the response does not reveal whether an account
   * exists.
   */
  user: User
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

export interface SignInResult {
  user: User
  session: SessionTokens
}

/** A session that a trusted device raised. */
export interface TrustedSignInResult extends SignInResult {
  /** The secret of the device for its next use. */
  secret: string
}

/** A session that was issued for a code. */
export interface ExchangeCodeResult extends SignInResult {
  /** The provider's tokens from this sign-in; null after one without. */
  providerTokens: ExternalTokens | null
}

export interface PasswordSignInResult extends SignInResult {
  /** The rules of the present password policy that the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

export interface VerifyOtpResult {
  user: User
  /** Null while the other address must still confirm a change of email. */
  session: SessionTokens | null
  /** The type of the code or link. */
  type: ProofType
}

/** A message that is stored for delivery. */
export interface SentMessage {
  /**
   * The id in the outbox. A random one where nothing is sent, so that the response does not reveal
   * it.
   */
  messageId: string
}

/**
 * The operations of users, called from code: the public endpoints, with the same checks. Every
 * method throws `AuthError` with the code of the wire.
 *
 * Methods that send messages use the same intervals and budgets as the endpoints: a 429 has
 * `details.retryAfterSeconds`. They return before the message is sent.
 */
export interface AuthApi {
  /**
   * Signs up by email or phone. Without autoconfirm, a link and code are sent to the address.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `anonymous_provider_disabled`,
   *   `email_address_invalid`, `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429),
   *   `phone_provider_disabled`, `signup_disabled`, `sms_send_failed`, `user_already_exists`,
   *   `username_exists`, `weak_password`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  signUp(input: SignUpInput, options?: CallOptions): Promise<SignUpResult>
  /**
   * Signs in anonymously, as a new user whose `isAnonymous` is true: `docs/anonymous.md`.
   * `updateUser` with an email or phone makes the account permanent, under the same id.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `anonymous_provider_disabled`,
   *   `signup_disabled`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  signInAnonymously(input?: SignInAnonymouslyInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Signs in by email or phone and password.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `email_not_confirmed`,
   *   `email_provider_disabled`, `invalid_credentials`, `over_request_rate_limit` (429) after too
   *   many wrong passwords, `phone_not_confirmed`, `phone_provider_disabled`, `user_banned`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  signInWithPassword(
    input: SignInWithPasswordInput,
    options?: CallOptions,
  ): Promise<PasswordSignInResult>
  /**
   * Sends a link and code that sign in, by mail, or a code by SMS.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `email_address_invalid`,
   *   `email_address_not_authorized`, `email_provider_disabled`, `otp_disabled` for an unknown
   *   address with `createUser: false`, `over_email_send_rate_limit` (429),
   *   `over_sms_send_rate_limit` (429), `phone_provider_disabled`, `signup_disabled`,
   *   `sms_send_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  signInWithOtp(input: SignInWithOtpInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Mails a link and code that sign in a user who lost the password; `updateUser` then sets a new
   * one. The response does not reveal whether the address has a user.
   *
   * @throws AuthError `email_address_invalid`, `email_address_not_authorized`,
   *   `email_provider_disabled`, `over_email_send_rate_limit` (429), `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  resetPasswordForEmail(input: ResetPasswordInput, options?: CallOptions): Promise<void>
  /**
   * Resends the message of a sign-up or a change of address, and revokes its earlier codes and
   * links. The response does not reveal whether a confirmation is pending.
   *
   * @throws AuthError `email_address_invalid`, `email_address_not_authorized`,
   *   `email_provider_disabled`, `over_email_send_rate_limit` (429), `over_sms_send_rate_limit`
   *   (429), `phone_provider_disabled`, `sms_send_failed`, `bad_json`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `validation_failed`.
   */
  resend(input: ResendInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Proves an address by the code or link that was sent to it, once, and signs in.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `email_exists`, `otp_expired` for an
   *   unknown, used or expired secret, `phone_exists`, `user_banned`, `weak_password`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed` also (422)
   *   for a password that this sign-in cannot set.
   */
  verifyOtp(input: VerifyOtpInput, options?: CallOptions): Promise<VerifyOtpResult>
  /**
   * Follows a mailed link, and returns the URL for the browser: with a session in its fragment, a
   * code for one in its query, or `error_code`.
   *
   * @throws AuthError `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed` for a link without type or token.
   */
  followLink(input: FollowLinkInput, options?: CallOptions): Promise<{ redirectTo: string }>
  /**
   * Returns the authorization URL of an external provider, for the browser. The flow ends at
   * `redirectTo` with a code in the query, for {@link exchangeCodeForSession}.
   *
   * @see RFC 6749 §4.1.1
   *
   * @throws AuthError `user_not_found` for an unknown invitation, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed` for an
   *   unknown provider or an invalid code challenge.
   */
  signInWithOAuth(input: SignInWithOAuthInput, options?: CallOptions): Promise<{ url: string }>
  /**
   * Exchanges the code of a followed link for a session: once, within 5 minutes, with the code
   * verifier of its code challenge.
   *
   * @see RFC 7636 §4.5
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `bad_code_verifier`,
   *   `flow_state_expired`, `flow_state_not_found` (404), `invalid_credentials`, `user_banned`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  exchangeCodeForSession(
    input: ExchangeCodeInput,
    options?: CallOptions,
  ): Promise<ExchangeCodeResult>
  /**
   * Signs in by an id token that the application obtained from a provider, as an app on a phone
   * does. Its issuer, audience, lifetime and signature are verified, and its nonce: the SHA-256 of
   * the submitted one.
   *
   * @see OpenID Connect Core 1.0 §3.1.3.7
   *
   * With `linkIdentity` and the access token of a user, the account at the provider is linked to
   * that user.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `bad_jwt`, `conflict`,
   *   `email_address_invalid`, `email_address_not_authorized`, `email_exists`,
   *   `email_not_confirmed`, `identity_already_exists`, `insufficient_aal`, `invalid_credentials`,
   *   `manual_linking_disabled` (404), `no_authorization`, `over_email_send_rate_limit` (429),
   *   `over_sms_send_rate_limit` (429), `phone_not_confirmed`, `provider_disabled`,
   *   `provider_email_needs_verification`, `reauthentication_needed`, `session_expired`,
   *   `session_not_found`, `sign_in_method_suspended`, `signup_disabled`, `sms_send_failed`,
   *   `too_many_identities`, `user_banned`, `user_not_found`, `user_sso_managed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503) also while the issuer does not
   *   respond, `validation_failed`.
   */
  signInWithIdToken(
    input: SignInWithIdTokenInput & { accessToken?: string },
    options?: CallOptions,
  ): Promise<SignInResult>
  /**
   * Signs in by a message that an Ethereum or Solana wallet signed for this application, once:
   * `docs/wallets.md`. A new user gets an account.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `conflict`, `email_address_invalid`,
   *   `email_address_not_authorized`, `email_not_confirmed` for a suspended wallet,
   *   `invalid_credentials` for a message of another site or time, `over_email_send_rate_limit`
   *   (429), `phone_not_confirmed` for a suspended wallet, `provider_email_needs_verification`
   *   where an operator set an email that the user has not confirmed, `sign_in_method_suspended`,
   *   `signup_disabled`, `user_banned`, `web3_provider_disabled`, `web3_unsupported_chain`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  signInWithWeb3(input: SignInWithWeb3Input, options?: CallOptions): Promise<SignInResult>
  /**
   * Renews a session by its refresh token, and replaces the token. Within
   * `security.refreshTokens.reuseIntervalSeconds`, the old one returns the same new one again;
   * after that, its reuse ends the session, as configured.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `invalid_credentials` for the session
   *   of an OAuth client, `refresh_token_already_used`, `refresh_token_not_found`,
   *   `session_expired`, `user_banned`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  refreshSession(input: RefreshSessionInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Returns the user of the token, as stored.
   *
   * @throws AuthError `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `session_expired`,
   *   `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  getUser(input: BearerInput, options?: CallOptions): Promise<User>
  /**
   * Changes the signed-in user. A new password ends the user's other sessions. A new address is in
   * `newEmail` or `newPhone` until it is confirmed.
   *
   * @throws AuthError `address_too_new`, `conflict`, `current_password_invalid`,
   *   `current_password_required`, `email_address_invalid`, `email_address_not_authorized`,
   *   `email_exists`, `insufficient_aal`, `not_admin`, `over_email_send_rate_limit` (429),
   *   `over_request_rate_limit` (429) after too many wrong passwords, `over_sms_send_rate_limit`
   *   (429), `phone_exists`, `reauthentication_needed`, `reauthentication_not_valid`,
   *   `same_password`, `sms_send_failed`, `user_sso_managed`, `username_exists`, `weak_password`,
   *   `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  updateUser(input: UpdateOwnUserInput, options?: CallOptions): Promise<User>
  /**
   * Erases the user after reauthentication: by the password, or by a code from `reauthenticate`. A
   * user who has neither a password nor a confirmed address needs a recent sign-in. Unlike the
   * endpoint, it needs no setting.
   *
   * @throws AuthError `address_too_new` for a user without a password to whom no nonce can be sent
   *   yet, `conflict`, `insufficient_aal`, `invalid_credentials`, `over_request_rate_limit` (429)
   *   after too many wrong passwords, `reauthentication_needed` without password and nonce; with
   *   403 for a user who has neither password nor confirmed address, and whose sign-in is not
   *   recent, `reauthentication_not_valid`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  deleteUser(input: DeleteOwnUserInput, options?: CallOptions): Promise<void>
  /**
   * Sends the user a code, which `updateUser` with a new password, and `deleteUser`, accept as
   * `nonce`.
   *
   * @throws AuthError `address_too_new`, `email_address_invalid`, `email_address_not_authorized`,
   *   `email_not_confirmed`, `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429),
   *   `phone_not_confirmed`, `sms_send_failed`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`
   *   also for a user without an address.
   */
  reauthenticate(input: BearerInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Returns the authorization URL that links an identity at an external provider to the signed-in
   * user. The flow ends in a new session of the same user, or with `codeChallenge` in a code for
   * one. The URL at its end reports errors. `getUser` lists the identities.
   *
   * @throws AuthError `insufficient_aal`, `manual_linking_disabled` (404),
   *   `reauthentication_needed`, `user_sso_managed`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`
   *   also for an unknown provider.
   */
  linkIdentity(input: LinkIdentityInput, options?: CallOptions): Promise<{ url: string }>
  /**
   * Unlinks an identity of the user, who keeps at least one. If the user's address was that of the
   * identity, another verified one replaces it, and earlier links and codes are revoked. Sessions
   * and password stay.
   *
   * @throws AuthError `conflict`, `email_conflict_identity_not_deletable`, `identity_not_found`,
   *   `insufficient_aal`, `manual_linking_disabled` (404), `reauthentication_needed`,
   *   `single_identity_not_deletable`, `user_sso_managed`, `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  unlinkIdentity(input: IdentityInput, options?: CallOptions): Promise<void>
  /**
   * Starts the enrollment of a second factor, which is complete after its first verification.
   *
   * @throws AuthError `email_not_confirmed`, `insufficient_aal` in a session without the factor
   *   that the user has, `mfa_email_enroll_not_enabled`, `mfa_email_not_independent`,
   *   `mfa_email_verify_not_enabled`, `mfa_factor_name_conflict`, `mfa_phone_enroll_not_enabled`,
   *   `mfa_totp_enroll_not_enabled`, `mfa_verified_factor_exists`,
   *   `mfa_webauthn_enroll_not_enabled`, `reauthentication_needed`,
   *   `too_many_enrolled_mfa_factors`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  enrollFactor(input: EnrollFactorInput, options?: CallOptions): Promise<EnrolledFactor>
  /**
   * Starts the verification of a factor. A phone receives a code; a security key signs in this
   * session only.
   *
   * @throws AuthError `email_address_not_authorized`, `email_not_confirmed`, `insufficient_aal`,
   *   `mfa_email_not_independent`, `mfa_email_verify_not_enabled`, `mfa_factor_not_found`,
   *   `mfa_phone_verify_not_enabled`, `mfa_totp_verify_not_enabled`,
   *   `mfa_webauthn_verify_not_enabled`, `over_email_send_rate_limit` (429),
   *   `over_sms_send_rate_limit` (429), `reauthentication_needed`, `sms_send_failed`,
   *   `too_many_enrolled_mfa_factors`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  challengeFactor(input: ChallengeFactorInput, options?: CallOptions): Promise<FactorChallenge>
  /**
   * Verifies a factor: the session rises to `aal2` and gets new tokens, and weaker sessions of the
   * user end.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `email_not_confirmed`,
   *   `insufficient_aal`, `mfa_challenge_expired`, `mfa_email_not_independent`,
   *   `mfa_email_verify_not_enabled`, `mfa_factor_not_found`, `mfa_ip_address_mismatch`,
   *   `mfa_phone_verify_not_enabled`, `mfa_totp_verify_not_enabled`, `mfa_verification_failed`,
   *   `mfa_verification_rejected`, `mfa_webauthn_verify_not_enabled`, `over_request_rate_limit`
   *   (429) after too many wrong codes, `reauthentication_needed`, `too_many_enrolled_mfa_factors`
   *   at the first verification of a factor, `webauthn_credential_exists` for a security key that
   *   is already enrolled, `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `session_expired`,
   *   `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  verifyFactor(input: VerifyFactorInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Removes a factor; sessions that it proved are `aal1` again.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `reauthentication_needed`,
   *   `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  unenrollFactor(input: FactorInput, options?: CallOptions): Promise<void>
  /**
   * Returns the number of unused recovery codes of the user. The codes themselves are shown once.
   *
   * @throws AuthError `mfa_factor_not_found`, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  getRecoveryCodes(input: BearerInput, options?: CallOptions): Promise<RecoveryCodesStatus>
  /**
   * Generates the recovery codes of a user with another verified factor, in place of which a code
   * is accepted. They are shown once.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_name_conflict`,
   *   `mfa_recovery_codes_enroll_not_enabled`, `mfa_recovery_codes_sole_factor`,
   *   `mfa_verified_factor_exists`, `reauthentication_needed`, `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  generateRecoveryCodes(
    input: GenerateRecoveryCodesInput,
    options?: CallOptions,
  ): Promise<GeneratedRecoveryCodes>
  /**
   * Consumes a recovery code: the session rises to `aal2` and gets new tokens, and weaker sessions
   * of the user end.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `mfa_recovery_codes_locked` (429)
   *   after too many attempts, `mfa_recovery_codes_verify_not_enabled`, `mfa_verification_failed`,
   *   `mfa_verification_rejected`, `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `session_expired`,
   *   `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  verifyRecoveryCode(input: VerifyRecoveryCodeInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Generates recovery codes that replace the user's former ones, which are no longer accepted.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`,
   *   `mfa_recovery_codes_enroll_not_enabled`, `reauthentication_needed`, `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  regenerateRecoveryCodes(
    input: BearerInput,
    options?: CallOptions,
  ): Promise<GeneratedRecoveryCodes>
  /**
   * Removes the recovery codes; sessions that one proved are `aal1` again.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `reauthentication_needed`,
   *   `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  unenrollRecoveryCodes(input: BearerInput, options?: CallOptions): Promise<void>
  /**
   * Starts the registration of a passkey of the user, which this session completes: `options` is
   * for the browser.
   *
   * @throws AuthError `insufficient_aal` in a session without the second factor that the user has,
   *   `passkey_disabled` (404), `reauthentication_needed`, `too_many_passkeys`, `bad_json`,
   *   `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  startPasskeyRegistration(input: BearerInput, options?: CallOptions): Promise<PasskeyRegistration>
  /**
   * Registers the passkey that the browser has created. The challenge is consumed, also by a failed
   * attempt.
   *
   * @throws AuthError `insufficient_aal`, `passkey_disabled` (404), `reauthentication_needed`,
   *   `too_many_passkeys`, `webauthn_challenge_expired`, `webauthn_challenge_not_found`,
   *   `webauthn_credential_exists`, `webauthn_verification_failed`, `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  verifyPasskeyRegistration(
    input: VerifyPasskeyRegistrationInput,
    options?: CallOptions,
  ): Promise<Passkey>
  /**
   * Starts a sign-in by passkey, of any user: `options` is for the browser.
   *
   * @throws AuthError `passkey_disabled` (404), `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  startPasskeyAuthentication(options?: CallOptions): Promise<PasskeyAuthentication>
  /**
   * Signs in by passkey, with the response of the browser. The challenge is consumed, also by a
   * failed attempt.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `email_not_confirmed`,
   *   `passkey_disabled` (404), `phone_not_confirmed`, `sign_in_method_suspended`, `user_banned`,
   *   `webauthn_challenge_expired`, `webauthn_challenge_not_found`, `webauthn_verification_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  verifyPasskeyAuthentication(
    input: VerifyPasskeyAuthenticationInput,
    options?: CallOptions,
  ): Promise<SignInResult>
  /**
   * Starts a sign-up by passkey only: `options` is for the browser.
   *
   * @throws AuthError `passkey_disabled` (404), `signup_disabled`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  startPasskeySignUp(
    input?: StartPasskeySignUpInput,
    options?: CallOptions,
  ): Promise<PasskeyRegistration>
  /**
   * Signs up by the passkey that the browser has created, as a new user without an address. The
   * challenge is consumed, also by a failed attempt.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `passkey_disabled` (404),
   *   `signup_disabled`, `webauthn_challenge_expired`, `webauthn_challenge_not_found`,
   *   `webauthn_credential_exists`, `webauthn_verification_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  verifyPasskeySignUp(input: VerifyPasskeySignUpInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Lists the passkeys of the user, the oldest first.
   *
   * @throws AuthError `passkey_disabled` (404), `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  listPasskeys(input: BearerInput, options?: CallOptions): Promise<Passkey[]>
  /**
   * Renames a passkey.
   *
   * @throws AuthError `passkey_disabled` (404), `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`
   *   also for a passkey that the user does not have (404).
   */
  updatePasskey(input: UpdatePasskeyInput, options?: CallOptions): Promise<Passkey>
  /**
   * Removes a passkey; sessions that it opened stay.
   *
   * @throws AuthError `insufficient_aal`, `passkey_disabled` (404), `reauthentication_needed`,
   *   `single_identity_not_deletable` for the last passkey of a user with neither a confirmed
   *   address nor a usable identity, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`
   *   also for a passkey that the user does not have (404).
   */
  deletePasskey(input: PasskeyInput, options?: CallOptions): Promise<void>
  /**
   * Trusts the device that has just proved a second factor: it skips the second factor for a time.
   *
   * @throws AuthError `insufficient_aal` where the session has not proved it itself,
   *   `mfa_factor_not_found` for a user without a second factor, `reauthentication_needed` where
   *   the proof is older than 5 minutes, `trusted_devices_disabled` (404), `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  trustDevice(input: BearerInput, options?: CallOptions): Promise<NewTrustedDevice>
  /**
   * Accepts a trusted device in place of a second factor: the session rises to `aal2` and gets new
   * tokens. A secret that was already used is a copy, and ends the trust in its device.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `trusted_device_not_found` (404),
   *   `trusted_devices_disabled` (404), `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  verifyTrustedDevice(
    input: VerifyTrustedDeviceInput,
    options?: CallOptions,
  ): Promise<TrustedSignInResult>
  /**
   * Lists the trusted devices of the user, the oldest first.
   *
   * @throws AuthError `trusted_devices_disabled` (404), `bad_json`, `bad_jwt`,
   *   `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  listTrustedDevices(input: BearerInput, options?: CallOptions): Promise<TrustedDevice[]>
  /**
   * Ends the trust in a device; sessions that it raised are `aal1` again.
   *
   * @throws AuthError `trusted_device_not_found` (404), `trusted_devices_disabled` (404),
   *   `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  deleteTrustedDevice(input: TrustedDeviceInput, options?: CallOptions): Promise<void>
  /**
   * Ends all sessions of the user (`global`, the default), this one, or all others.
   *
   * @throws AuthError `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `session_expired`,
   *   `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  signOut(input: SignOutInput, options?: CallOptions): Promise<void>
  /**
   * Lists the live sessions of the user, the last used first.
   *
   * @throws AuthError `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `session_expired`,
   *   `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  listSessions(
    input: BearerInput & ListSessionsInput,
    options?: CallOptions,
  ): Promise<SessionInfo[]>
  /**
   * Ends one session of the user, which may be the current one.
   *
   * @throws AuthError `session_not_found` with 404 for a session that is not one of the user,
   *   `bad_json`, `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large`
   *   (413), `service_unavailable` (503), `session_expired`, `user_banned`, `user_not_found`,
   *   `validation_failed`.
   */
  revokeSession(input: SessionInput, options?: CallOptions): Promise<void>
  /**
   * Returns the user's access token at a provider whose `keepTokens` is set:
   * `{ accessToken, provider: 'github' }`. One that expires within a minute is renewed first, once
   * for all concurrent calls. Where the provider cannot be reached, the old one is returned until
   * it expires. None of this uses a transaction of `em` or `tx`.
   *
   * @throws AuthError `identity_not_found` (404) for a user without an account there,
   *   `insufficient_aal` in a session without the second factor that the user has,
   *   `provider_token_expired` (403) where the user has to sign in through the provider again,
   *   `provider_token_not_found` (404) where none is kept, `no_authorization`, `bad_jwt`,
   *   `session_expired`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`
   *   also for an unknown provider, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503) also where the provider does not answer.
   */
  getProviderToken(
    input: BearerInput & { provider: string },
    options?: CallOptions,
  ): Promise<ProviderAccessToken>
  /**
   * Returns whether `redirectTo` may be this URL, and by which rule; otherwise the reason as text.
   *
   * @throws AuthError `bad_json`, `service_unavailable` (503).
   */
  explainRedirect(url: string): Promise<RedirectDecision>
  /** The decisions of users about the access of OAuth clients. */
  readonly oauth: OauthApi
}

/** The methods that are in no group. */
export type AuthMethods = Omit<AuthApi, 'oauth'>

/** The first argument of a method: an input with an access token, any other input, or the options. */
export type FirstArgument<Method> = Method extends (...args: infer Args) => unknown
  ? Required<Args> extends readonly [CallOptions]
    ? 'options'
    : Args extends readonly [BearerInput, ...unknown[]]
      ? 'bearer'
      : 'input'
  : never

/**
 * The names of the methods, with their first arguments. `npm run docs` generates them, and the
 * `@throws` of methods that endpoints implement.
 */
export const authMethods: {
  readonly [Name in keyof AuthMethods]: FirstArgument<AuthMethods[Name]>
} = {
  signUp: 'input',
  signInAnonymously: 'input',
  signInWithPassword: 'input',
  refreshSession: 'input',
  exchangeCodeForSession: 'input',
  signInWithIdToken: 'input',
  signInWithWeb3: 'input',
  signInWithOAuth: 'input',
  signOut: 'bearer',
  listSessions: 'bearer',
  revokeSession: 'bearer',
  signInWithOtp: 'input',
  resetPasswordForEmail: 'input',
  resend: 'input',
  followLink: 'input',
  verifyOtp: 'input',
  reauthenticate: 'bearer',
  getUser: 'bearer',
  updateUser: 'bearer',
  deleteUser: 'bearer',
  linkIdentity: 'bearer',
  unlinkIdentity: 'bearer',
  enrollFactor: 'bearer',
  challengeFactor: 'bearer',
  verifyFactor: 'bearer',
  unenrollFactor: 'bearer',
  getRecoveryCodes: 'bearer',
  generateRecoveryCodes: 'bearer',
  verifyRecoveryCode: 'bearer',
  regenerateRecoveryCodes: 'bearer',
  unenrollRecoveryCodes: 'bearer',
  startPasskeyRegistration: 'bearer',
  verifyPasskeyRegistration: 'bearer',
  startPasskeyAuthentication: 'options',
  verifyPasskeyAuthentication: 'input',
  startPasskeySignUp: 'input',
  verifyPasskeySignUp: 'input',
  listPasskeys: 'bearer',
  updatePasskey: 'bearer',
  deletePasskey: 'bearer',
  trustDevice: 'bearer',
  verifyTrustedDevice: 'bearer',
  listTrustedDevices: 'bearer',
  deleteTrustedDevice: 'bearer',
  getProviderToken: 'bearer',
  explainRedirect: 'input',
}
