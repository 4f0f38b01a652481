export type { AccessTokenClaims } from './access-tokens/claims.ts'
export type { AdminApi, BanUserInput, GeneratedLink } from './api/admin-api.ts'
export type {
  AuthApi,
  BearerInput,
  ExchangeCodeResult,
  PasswordSignInResult,
  SentMessage,
  SignInResult,
  SignUpResult,
  TrustedSignInResult,
  VerifyOtpResult,
} from './api/auth-api.ts'
export type { CallOptions } from './api/call-options.ts'
export type { OutboxApi, OutboxFilter } from './api/outbox-api.ts'
export type { DueWork } from './api/run-due-work.ts'
export type { RequiredAssurance } from './api/step-up.ts'
export type { Viewer } from './api/viewer.ts'
export type { AuditAction } from './audit/actions.ts'
export type { AuditedUser, AuditRecord } from './audit/audit-record.ts'
export type { AuthConfig } from './config/auth-config.ts'
export type { WaitUntil } from './config/sections/background.ts'
export type { CacheStorage } from './config/sections/cache-storage.ts'
export type { OutgoingMail } from './config/sections/email.ts'
export type {
  AfterUserCreatedPayload,
  AttemptDecision,
  AuthEvent,
  AuthEventData,
  AuthEventType,
  BeforeUserCreatedPayload,
  CustomAccessTokenPayload,
  CustomizedClaims,
  HookRefusal,
  MfaVerificationPayload,
  PasswordDecision,
  PasswordVerificationPayload,
  SendEmailPayload,
  SendSmsPayload,
} from './config/sections/hooks.ts'
export type {
  ExternalEmail,
  ExternalProfile,
  ExternalTokens,
  IdTokenRules,
  JsonReader,
  ProviderAccessToken,
  ProviderClient,
  ProviderDefinition,
  ProviderEndpoints,
  ProviderLookUp,
  ProviderTokens,
  ProviderVisit,
} from './config/sections/provider-definition.ts'
export type { ProviderConfig } from './config/sections/providers.ts'
export type { CaptchaAttempt, VerifyCaptcha } from './config/sections/security.ts'
export type { OutgoingSms } from './config/sections/sms.ts'
export { type Auth, type ClaimedViewer, createAuth } from './create-auth.ts'
export type { DecisionKind } from './decisions/decision.ts'
export type { ExplainedDecision } from './decisions/find-decisions.sql.ts'
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  type StepUpAction,
  type WeakPasswordReason,
} from './errors/auth-error.ts'
export { ConfigError, type ConfigProblem } from './errors/config-error.ts'
export {
  EmbeddedPostgresMissingError,
  FolderInUseError,
  ForeignSchemaError,
  MissingTablesError,
  PasswordScoreMissingError,
  TelemetryStartError,
} from './errors/start-errors.ts'
export type { RecoveryCodesStatus } from './factors/count-recovery-codes.sql.ts'
export type { ListAuditInput, ListedAudit } from './flows/admin-audit/list-audit-input.ts'
export type {
  CreateUserInput,
  DeleteUserInput,
  UpdateUserInput,
  UserLookUp,
} from './flows/admin-users/admin-users.endpoint.ts'
export type { ExportedPerson } from './flows/admin-users/exported-person.ts'
export type { ListedUsers, ListUsersInput } from './flows/admin-users/list-users-input.ts'
export type {
  AuthorizeInput,
  SignInWithOAuthInput,
} from './flows/external-sign-in/external-sign-in.endpoint.ts'
export type {
  GeneratedLinkType,
  GenerateLinkInput,
} from './flows/generate-link/generate-link.endpoint.ts'
export type { IdentityInput, LinkIdentityInput } from './flows/identities/identities.endpoint.ts'
export type { InviteUserInput } from './flows/invite/invite.endpoint.ts'
export type { SignInWithOtpInput } from './flows/otp/otp.endpoint.ts'
export type {
  PasskeyAuthentication,
  PasskeyCeremony,
  PasskeyInput,
  PasskeyRegistration,
  StartPasskeySignUpInput,
  UpdatePasskeyInput,
  VerifyPasskeyAuthenticationInput,
  VerifyPasskeyRegistrationInput,
  VerifyPasskeySignUpInput,
} from './flows/passkeys/passkeys.endpoint.ts'
export type { ResetPasswordInput } from './flows/recover/recover.endpoint.ts'
export type { ResendInput, ResendType } from './flows/resend/resend.endpoint.ts'
export type { EnrolledFactor, TotpEnrollment } from './flows/second-factor/enrolled-factor.ts'
export type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
  VerifyRecoveryCodeInput,
} from './flows/second-factor/recovery-codes.endpoint.ts'
export type {
  ChallengeFactorInput,
  EnrollFactorInput,
  FactorChallenge,
  FactorInput,
  VerifyFactorInput,
} from './flows/second-factor/second-factor.endpoint.ts'
export type { SignOutInput } from './flows/sign-out/sign-out.endpoint.ts'
export type { SignInAnonymouslyInput, SignUpInput } from './flows/sign-up/sign-up.endpoint.ts'
export type {
  ExchangeCodeInput,
  RefreshSessionInput,
  SignInWithIdTokenInput,
  SignInWithPasswordInput,
  SignInWithWeb3Input,
} from './flows/token/token.endpoint.ts'
export type {
  TrustedDeviceInput,
  VerifyTrustedDeviceInput,
} from './flows/trusted-devices/trusted-devices.endpoint.ts'
export type { DeleteOwnUserInput, UpdateOwnUserInput } from './flows/user/user.endpoint.ts'
export type { FollowLinkInput, ProofType, VerifyOtpInput } from './flows/verify/verify.endpoint.ts'
export type { LinkOptions } from './http/link-options.ts'
export type { RequestLike } from './http/request-like.ts'
export { ClosedError } from './kit/drain.ts'
export { UnsupportedNodeError } from './kit/require-node.ts'
export type { MessagePreview, OutboxStatus } from './messages/outbox/message.ts'
export type { OutboxRecord } from './messages/outbox/outbox-record.ts'
export type {
  IdentityToImport,
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
  InstantInput,
  UserToImport,
} from './moving-in/users/import-input.ts'
export type { Logger } from './observability/logger.ts'
export type { Passkey } from './passkeys/passkey.ts'
export {
  type DefinedProvider,
  defineProvider,
  type ProviderClientConfig,
} from './providers/define-provider.ts'
export { type OAuth2Options, oauth2 } from './providers/oauth2.ts'
export { type OidcOptions, oidc } from './providers/oidc.ts'
export type { RedirectDecision, RedirectRefusal } from './redirects/explain-redirect.ts'
export type { SessionInfo } from './sessions/session-info.ts'
export type { SessionTokens } from './sessions/session-tokens.ts'
export type { SignOutScope } from './sessions/sign-out-scope.ts'
export type { HostEntityManager, HostTransaction } from './sql/host-transaction.ts'
export type { NewTrustedDevice, TrustedDevice } from './trusted-devices/trusted-device.ts'
export type { Factor, FactorType, Identity, User } from './users/user.ts'
export type { CreationOptions, RequestOptions } from './webauthn/ceremony-options.ts'
