import type { ExternalTokens } from '../config/sections/provider-definition.ts'
import type { RecoveryCodesStatus } from '../factors/count-recovery-codes.sql.ts'
import type { SignInWithOAuthInput } from '../flows/external-sign-in/external-sign-in.endpoint.ts'
import type { IdentityInput, LinkIdentityInput } from '../flows/identities/identities.endpoint.ts'
import type { SignInWithOtpInput } from '../flows/otp/otp.endpoint.ts'
import type {
  PasskeyAuthentication,
  PasskeyInput,
  PasskeyRegistration,
  StartPasskeySignUpInput,
  UpdatePasskeyInput,
  VerifyPasskeyAuthenticationInput,
  VerifyPasskeyRegistrationInput,
  VerifyPasskeySignUpInput,
} from '../flows/passkeys/passkeys.endpoint.ts'
import type { ResetPasswordInput } from '../flows/recover/recover.endpoint.ts'
import type { ResendInput } from '../flows/resend/resend.endpoint.ts'
import type { EnrolledFactor } from '../flows/second-factor/enrolled-factor.ts'
import type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
  VerifyRecoveryCodeInput,
} from '../flows/second-factor/recovery-codes.endpoint.ts'
import type {
  ChallengeFactorInput,
  EnrollFactorInput,
  FactorChallenge,
  FactorInput,
  VerifyFactorInput,
} from '../flows/second-factor/second-factor.endpoint.ts'
import type { SignOutInput } from '../flows/sign-out/sign-out.endpoint.ts'
import type { SignInAnonymouslyInput, SignUpInput } from '../flows/sign-up/sign-up.endpoint.ts'
import type {
  ExchangeCodeInput,
  RefreshSessionInput,
  SignInWithIdTokenInput,
  SignInWithPasswordInput,
  SignInWithWeb3Input,
} from '../flows/token/token.endpoint.ts'
import type {
  TrustedDeviceInput,
  VerifyTrustedDeviceInput,
} from '../flows/trusted-devices/trusted-devices.endpoint.ts'
import type { DeleteOwnUserInput, UpdateOwnUserInput } from '../flows/user/user.endpoint.ts'
import type { FollowLinkInput, ProofType, VerifyOtpInput } from '../flows/verify/verify.endpoint.ts'
import type { Passkey } from '../passkeys/passkey.ts'
import type { PasswordWeakness } from '../passwords/password-policy.ts'
import type { RedirectDecision } from '../redirects/explain-redirect.ts'
import type { SessionInfo } from '../sessions/session-info.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'
import type { NewTrustedDevice, TrustedDevice } from '../trusted-devices/trusted-device.ts'
import type { ProviderAccessToken } from '../users/provider-token.ts'
import type { User } from '../users/user.ts'
import type { CallOptions } from './call-options.ts'

/** What a call needs that acts for a signed-in user. @see RFC 6750 */
export interface BearerInput {
  accessToken: string
}

export interface SignUpResult {
  /**
   * The new user. Where the address belongs to somebody who proved it, and addresses have to be confirmed, a user of
   * the same form who does not exist: the answer does not tell who has an account.
   */
  user: User
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

export interface SignInResult {
  user: User
  session: SessionTokens
}

/** A session that rose by a trusted device. */
export interface TrustedSignInResult extends SignInResult {
  /** What the device shows the next time. */
  secret: string
}

/** A session that a code was traded for. */
export interface ExchangeCodeResult extends SignInResult {
  /** What a provider handed out at this sign-in; null after one without. */
  providerTokens: ExternalTokens | null
}

export interface PasswordSignInResult extends SignInResult {
  /** Which of today's rules for new passwords the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

export interface VerifyOtpResult {
  user: User
  /** Null while a change of email still has to be confirmed from the other address. */
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
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `anonymous_provider_disabled`, `email_address_invalid`, `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_provider_disabled`,
   *   `signup_disabled`, `sms_send_failed`, `user_already_exists`, `weak_password`, `validation_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signUp(input: SignUpInput, options?: CallOptions): Promise<SignUpResult>
  /**
   * Signs in somebody who gives no address, as a new user whose `isAnonymous` is true: `docs/anonymous.md`. `updateUser`
   * with an email or phone makes the account permanent, under the same id.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `anonymous_provider_disabled`, `signup_disabled`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInAnonymously(input?: SignInAnonymouslyInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Signs in by email or phone and password.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `email_not_confirmed`, `email_provider_disabled`, `invalid_credentials`,
   *   `over_request_rate_limit` (429) after too many wrong passwords, `phone_not_confirmed`,
   *   `phone_provider_disabled`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithPassword(
    input: SignInWithPasswordInput,
    options?: CallOptions,
  ): Promise<PasswordSignInResult>
  /**
   * Sends a link and code that sign in, by mail, or a code by SMS.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `email_address_invalid`, `email_address_not_authorized`, `email_provider_disabled`, `otp_disabled` for an unknown
   *   address with `createUser: false`, `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429),
   *   `phone_provider_disabled`, `signup_disabled`, `sms_send_failed`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithOtp(input: SignInWithOtpInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Mails a link and code that sign in a user who forgot the password; `updateUser` then sets a new one.
   * Whether anybody has the address does not show.
   *
   * @throws AuthError `email_address_invalid`, `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  resetPasswordForEmail(input: ResetPasswordInput, options?: CallOptions): Promise<void>
  /**
   * Sends the message of a sign-up or a change of address again; the code and link that were sent before become invalid.
   * Whether there was anything to send does not show.
   *
   * @throws AuthError `email_address_invalid`, `email_address_not_authorized`, `email_provider_disabled`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_provider_disabled`,
   *   `sms_send_failed`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  resend(input: ResendInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Proves an address by what was sent there, once, and signs in.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `email_exists`, `otp_expired` for whatever is unknown, spent or too old, `phone_exists`,
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
   * Tells where to send a browser so that somebody signs in with an external provider. They end at `redirectTo` with a
   * code in the query, which {@link exchangeCodeForSession} takes.
   *
   * @see RFC 6749 §4.1.1
   *
   * @throws AuthError `user_not_found` for an unknown invitation, `validation_failed` for a provider that is not there or
   *   a code challenge that is none, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithOAuth(input: SignInWithOAuthInput, options?: CallOptions): Promise<{ url: string }>
  /**
   * Exchanges the authorization code that a link ended in for a session: once, within 5 minutes, with the code
   * verifier of its code challenge.
   *
   * @see RFC 7636 §4.5
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `bad_code_verifier`, `flow_state_expired`, `flow_state_not_found`, `invalid_credentials`,
   *   `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  exchangeCodeForSession(
    input: ExchangeCodeInput,
    options?: CallOptions,
  ): Promise<ExchangeCodeResult>
  /**
   * Signs in by an id token that the application got from a provider itself, as an app on a phone does. Its issuer, audience,
   * lifetime and signature are verified, and its nonce: the SHA-256 of the one that is given here.
   *
   * @see OpenID Connect Core 1.0 §3.1.3.7
   *
   * With `linkIdentity` and the access token of a user, the account at the provider is linked to that user.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `bad_jwt`, `conflict`, `email_address_invalid`, `email_address_not_authorized`, `email_exists`, `email_not_confirmed`,
   *   `identity_already_exists`, `insufficient_aal`, `invalid_credentials`, `manual_linking_disabled`, `no_authorization`,
   *   `over_email_send_rate_limit`, `over_sms_send_rate_limit`, `provider_disabled`, `provider_email_needs_verification`,
   *   `session_expired`, `session_not_found`, `signup_disabled`, `sms_send_failed`, `user_banned`, `user_not_found`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), also while the issuer cannot be asked.
   */
  signInWithIdToken(
    input: SignInWithIdTokenInput & { accessToken?: string },
    options?: CallOptions,
  ): Promise<SignInResult>
  /**
   * Signs in by a message that a wallet of Ethereum or Solana has signed for this application, once: `docs/wallets.md`.
   * Who is new gets an account.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `conflict`, `invalid_credentials` for a message that does not count here and now,
   *   `provider_email_needs_verification`, `email_address_invalid`, `email_address_not_authorized` and `over_email_send_rate_limit` (429) where an
   *   operator gave the user an email that nobody has confirmed, `signup_disabled`, `user_banned`,
   *   `web3_provider_disabled`, `web3_unsupported_chain`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  signInWithWeb3(input: SignInWithWeb3Input, options?: CallOptions): Promise<SignInResult>
  /**
   * Renews a session by its refresh token, and replaces the token. The old one answers the same new one for
   * `security.refreshTokens.reuseIntervalSeconds`; after that its reuse ends the session, as the configuration says.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `invalid_credentials`, `refresh_token_already_used`, `refresh_token_not_found`,
   *   `session_expired`, `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  refreshSession(input: RefreshSessionInput, options?: CallOptions): Promise<SignInResult>
  /**
   * The user whose token it is, as stored at this moment.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  getUser(input: BearerInput, options?: CallOptions): Promise<User>
  /**
   * Changes the signed-in user. A new password ends the user's other sessions. A new address shows as `newEmail` or
   * `newPhone` until it is confirmed.
   *
   * @throws AuthError `conflict`, `current_password_invalid`, `current_password_required`,
   *   `email_address_invalid`, `email_address_not_authorized`, `email_exists`, `email_provider_disabled`, `insufficient_aal`,
   *   `not_admin`, `over_email_send_rate_limit` (429), `over_request_rate_limit` (429) after too many wrong
   *   passwords, `over_sms_send_rate_limit` (429), `phone_exists`, `phone_provider_disabled`,
   *   `reauthentication_needed`, `reauthentication_not_valid`, `same_password`, `session_expired`,
   *   `sms_send_failed`, `weak_password`, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`,
   *   `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  updateUser(input: UpdateOwnUserInput, options?: CallOptions): Promise<User>
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
   * @throws AuthError `email_address_invalid`, `email_address_not_authorized`, `email_not_confirmed`,
   *   `over_email_send_rate_limit` (429), `over_sms_send_rate_limit` (429), `phone_not_confirmed`,
   *   `sms_send_failed`, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`,
   *   `validation_failed` also for a user without any address, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  reauthenticate(input: BearerInput, options?: CallOptions): Promise<SentMessage>
  /**
   * Says where to send the browser of the signed-in user so that they link an account at an external provider. The
   * journey ends in a new session of the same user, or with `codeChallenge` in a code for one; what it is refused for
   * stands in the URL that it ends at. `getUser` lists the identities.
   *
   * @throws AuthError `insufficient_aal`, `manual_linking_disabled`, `session_expired`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed` also for a provider that is not there,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  linkIdentity(input: LinkIdentityInput, options?: CallOptions): Promise<{ url: string }>
  /**
   * Unlinks an identity of the user, who keeps at least one. Where the user's address was that of the identity,
   * another verified one takes its place, and links and codes that were sent are void. Sessions and password stay.
   *
   * @throws AuthError `conflict`, `email_conflict_identity_not_deletable`, `identity_not_found`, `insufficient_aal`,
   *   `manual_linking_disabled`, `single_identity_not_deletable`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  unlinkIdentity(input: IdentityInput, options?: CallOptions): Promise<void>
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
   * Begins to prove a factor; a phone is sent a code, and a security key is asked in this session alone.
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
   *   `over_request_rate_limit` (429) after too many wrong codes, `session_expired`, of a hook that refuses
   *   `unknown` or what it throws, of one that does not work `hook_payload_invalid_content_type`,
   *   `hook_payload_over_size_limit`, `hook_timeout`, `hook_timeout_after_retry`, `webauthn_credential_exists` for
   *   a security key that somebody has enrolled, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`,
   *   `user_banned`, `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
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
   * How many recovery codes the user has left. The codes themselves are shown once.
   *
   * @throws AuthError `mfa_factor_not_found`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  getRecoveryCodes(input: BearerInput, options?: CallOptions): Promise<RecoveryCodesStatus>
  /**
   * Generates recovery codes for a user who has another verified factor, which they stand in for. They are shown this
   * once.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_name_conflict`, `mfa_recovery_codes_enroll_not_enabled`,
   *   `mfa_recovery_codes_sole_factor`, `mfa_verified_factor_exists`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  generateRecoveryCodes(
    input: GenerateRecoveryCodesInput,
    options?: CallOptions,
  ): Promise<GeneratedRecoveryCodes>
  /**
   * Spends a recovery code: the session rises to `aal2` and gets new tokens, and weaker sessions of the user end.
   *
   * @throws AuthError `mfa_recovery_codes_locked` (429) after too many codes, `mfa_recovery_codes_verify_not_enabled`,
   *   `mfa_verification_failed`, `mfa_verification_rejected`, `session_expired`, of a hook that refuses
   *   `unknown` or what it throws, of one that does not work `hook_payload_invalid_content_type`,
   *   `hook_payload_over_size_limit`, `hook_timeout`, `hook_timeout_after_retry`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyRecoveryCode(input: VerifyRecoveryCodeInput, options?: CallOptions): Promise<SignInResult>
  /**
   * Generates other recovery codes in the place of those that the user has, of which none is good any more.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `mfa_recovery_codes_enroll_not_enabled`,
   *   `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  regenerateRecoveryCodes(
    input: BearerInput,
    options?: CallOptions,
  ): Promise<GeneratedRecoveryCodes>
  /**
   * Removes the recovery codes; sessions that one proved are `aal1` again.
   *
   * @throws AuthError `insufficient_aal`, `mfa_factor_not_found`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  unenrollRecoveryCodes(input: BearerInput, options?: CallOptions): Promise<void>
  /**
   * Begins to register a passkey of the user, which this session finishes: `options` is for the browser.
   *
   * @throws AuthError `insufficient_aal` in a session without the second factor that the user has,
   *   `passkey_disabled` (404), `too_many_passkeys`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  startPasskeyRegistration(input: BearerInput, options?: CallOptions): Promise<PasskeyRegistration>
  /**
   * Registers the passkey that a browser has made. The challenge is spent whatever comes of it.
   *
   * @throws AuthError `insufficient_aal`, `passkey_disabled` (404), `too_many_passkeys`,
   *   `webauthn_challenge_expired`, `webauthn_challenge_not_found`, `webauthn_credential_exists`,
   *   `webauthn_verification_failed`, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyPasskeyRegistration(
    input: VerifyPasskeyRegistrationInput,
    options?: CallOptions,
  ): Promise<Passkey>
  /**
   * Begins to sign in by passkey, whoever it will be: `options` is for the browser.
   *
   * @throws AuthError `passkey_disabled` (404), `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  startPasskeyAuthentication(options?: CallOptions): Promise<PasskeyAuthentication>
  /**
   * Signs in whoever holds a passkey, by what a browser got of it. The challenge is spent whatever comes of it.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `email_not_confirmed`, `passkey_disabled` (404), `phone_not_confirmed`, `user_banned`,
   *   `webauthn_challenge_expired`, `webauthn_challenge_not_found`, `webauthn_verification_failed`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyPasskeyAuthentication(
    input: VerifyPasskeyAuthenticationInput,
    options?: CallOptions,
  ): Promise<SignInResult>
  /**
   * Begins to sign up by a passkey alone: `options` is for the browser.
   *
   * @throws AuthError `passkey_disabled` (404), `signup_disabled`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  startPasskeySignUp(
    input?: StartPasskeySignUpInput,
    options?: CallOptions,
  ): Promise<PasskeyRegistration>
  /**
   * Signs up by the passkey that a browser has made: the user is new and has no address. The challenge is spent whatever
   * comes of it.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `passkey_disabled` (404), `signup_disabled`, `webauthn_challenge_expired`,
   *   `webauthn_challenge_not_found`, `webauthn_credential_exists`, `webauthn_verification_failed`,
   *   `validation_failed`, `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyPasskeySignUp(input: VerifyPasskeySignUpInput, options?: CallOptions): Promise<SignInResult>
  /**
   * The passkeys of the user, the oldest first.
   *
   * @throws AuthError `passkey_disabled` (404), `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  listPasskeys(input: BearerInput, options?: CallOptions): Promise<Passkey[]>
  /**
   * Renames a passkey.
   *
   * @throws AuthError `passkey_disabled` (404), `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed` (404 for no passkey of the user), `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  updatePasskey(input: UpdatePasskeyInput, options?: CallOptions): Promise<Passkey>
  /**
   * Removes a passkey; sessions that it opened stay.
   *
   * @throws AuthError `insufficient_aal`, `single_identity_not_deletable` (422) for the last passkey of somebody who has
   *   neither an address nor an identity to sign in with, `passkey_disabled` (404), `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  deletePasskey(input: PasskeyInput, options?: CallOptions): Promise<void>
  /**
   * Trusts the device that has just shown a second factor: for a while it need not show one again.
   *
   * @throws AuthError `trusted_devices_disabled`, `mfa_factor_not_found` (404) for a user without a second factor,
   *   `insufficient_aal` where the session has not shown it itself, `reauthentication_needed` where that is longer ago than
   *   5 minutes, `no_authorization`, `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503).
   */
  trustDevice(input: BearerInput, options?: CallOptions): Promise<NewTrustedDevice>
  /**
   * Takes a trusted device for a second factor: the session rises to `aal2` and gets new tokens. A secret that was used
   * before is a copy, and ends the trust in its device.
   *
   * @throws AuthError of hooks `unknown`, `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`; `trusted_devices_disabled`, `trusted_device_not_found` (404), `session_expired`, `no_authorization`,
   *   `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  verifyTrustedDevice(
    input: VerifyTrustedDeviceInput,
    options?: CallOptions,
  ): Promise<TrustedSignInResult>
  /**
   * The trusted devices of the user, the oldest first.
   *
   * @throws AuthError `trusted_devices_disabled` (404), `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  listTrustedDevices(input: BearerInput, options?: CallOptions): Promise<TrustedDevice[]>
  /**
   * Ends the trust in a device; sessions that rose by one are `aal1` again.
   *
   * @throws AuthError `trusted_devices_disabled`, `trusted_device_not_found` (404), `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503).
   */
  deleteTrustedDevice(input: TrustedDeviceInput, options?: CallOptions): Promise<void>
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
   * The user's access token at a provider whose `keepTokens` is set: `{ accessToken, provider: 'github' }`. One that
   * expires within a minute is renewed first, once for all calls that ask for it at the same time. Where the provider
   * cannot be reached, the old one is answered until it expires. Nothing of it happens in a transaction of `em` or `tx`.
   *
   * @throws AuthError `identity_not_found` (404) for a user without an account there, `insufficient_aal` in a session
   *   without the second factor that the user has, `provider_token_expired` (403) where the user has to sign in through
   *   the provider again, `provider_token_not_found` (404) where none is kept, `no_authorization`, `bad_jwt`,
   *   `session_not_found`, `user_not_found`, `user_banned`, `validation_failed` also for an unknown provider, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503) also where the provider does not answer.
   */
  getProviderToken(
    input: BearerInput & { provider: string },
    options?: CallOptions,
  ): Promise<ProviderAccessToken>
  /**
   * Whether `redirectTo` may be this URL, and by which rule; else why not, in words.
   *
   * @throws AuthError `bad_json`, `service_unavailable` (503).
   */
  explainRedirect(url: string): Promise<RedirectDecision>
}
