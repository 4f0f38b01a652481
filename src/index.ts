export type { AuditAction } from './accounts/audit/actions.ts'
export type { AuditedUser, AuditRecord } from './accounts/audit/audit-record.ts'
export type { DecisionKind } from './accounts/decisions/decision.ts'
export type { ExplainedDecision } from './accounts/decisions/decisions.sql.ts'
export type { Passkey } from './accounts/passkeys/passkey.ts'
export type { SessionInfo, SessionTokens, SignOutScope } from './accounts/sessions/session-info.ts'
export type { Factor, Identity, RecoveryCodesStatus, User } from './accounts/users/user.ts'
export type {
  CreateCustomProviderInput,
  CustomProvider,
  CustomProviderType,
  ListCustomProvidersInput,
  UpdateCustomProviderInput,
} from './capabilities/custom-providers/custom-provider.ts'
export type {
  AuthorizationDetails,
  AuthorizationRedirect,
} from './capabilities/oauth-server/authorize/authorization-details.ts'
export type {
  CreateOauthClientInput,
  ListedOauthClients,
  ListOauthClientsInput,
  OauthAuthMethod,
  OauthClient,
  OauthClientType,
  OauthClientWithSecret,
  OauthKeySet,
  OauthRegistrationType,
  UpdateOauthClientInput,
} from './capabilities/oauth-server/clients/oauth-client.ts'
export type { OauthGrant } from './capabilities/oauth-server/grants/oauth-grant.ts'
export type {
  NewTrustedDevice,
  TrustedDevice,
  TrustedDeviceInput,
  VerifyTrustedDeviceInput,
} from './capabilities/trusted-devices/trusted-device.ts'
export type { AccessTokenClaims } from './credentials/access-tokens/claims.ts'
export {
  type DefinedProvider,
  defineProvider,
  type ProviderClientConfig,
} from './credentials/external/define-provider.ts'
export { type OAuth2Options, oauth2 } from './credentials/external/oauth2.ts'
export { type OidcOptions, oidc } from './credentials/external/oidc.ts'
export type {
  AssertionOptions as RequestOptions,
  CreationOptions,
} from './credentials/webauthn/ceremony-options.ts'
export type { MessagePreview, OutboxStatus } from './delivery/outbox/message.ts'
export type { OutboxRecord } from './delivery/outbox/outbox-record.ts'
export type { ListAuditInput, ListedAudit } from './endpoints/admin-audit/admin-audit.endpoint.ts'
export type {
  CreateUserInput,
  DeleteUserInput,
  ListedUsers,
  ListUsersInput,
  UpdateUserInput,
  UserLookUp,
} from './endpoints/admin-users/admin-users.endpoint.ts'
export type { ExportedPerson, PersonExport } from './endpoints/admin-users/exported-person.ts'
export type {
  AuthorizeInput,
  SignInWithOAuthInput,
} from './endpoints/external-sign-in/external-sign-in.endpoint.ts'
export type {
  GeneratedLinkType,
  GenerateLinkInput,
} from './endpoints/generate-link/generate-link.endpoint.ts'
export type { LinkOptions } from './endpoints/http/link-options.ts'
export type {
  IdentityInput,
  LinkIdentityInput,
} from './endpoints/identities/identities.endpoint.ts'
export type { InviteUserInput } from './endpoints/invite/invite.endpoint.ts'
export type { SignInWithOtpInput } from './endpoints/otp/otp.endpoint.ts'
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
} from './endpoints/passkeys/passkeys.endpoint.ts'
export type { ResetPasswordInput } from './endpoints/recover/recover.endpoint.ts'
export type { ResendInput, ResendType } from './endpoints/resend/resend.endpoint.ts'
export type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
  VerifyRecoveryCodeInput,
} from './endpoints/second-factor/recovery-codes.endpoint.ts'
export type {
  ChallengeFactorInput,
  EnrolledFactor,
  EnrollFactorInput,
  FactorChallenge,
  FactorInput,
  TotpEnrollment,
  VerifyFactorInput,
} from './endpoints/second-factor/second-factor.endpoint.ts'
export type { SignOutInput } from './endpoints/sign-out/sign-out.endpoint.ts'
export type { SignInAnonymouslyInput, SignUpInput } from './endpoints/sign-up/sign-up.endpoint.ts'
export type {
  ExchangeCodeInput,
  RefreshSessionInput,
  SignInWithIdTokenInput,
  SignInWithPasswordInput,
  SignInWithWeb3Input,
} from './endpoints/token/token.endpoint.ts'
export type { DeleteOwnUserInput, UpdateOwnUserInput } from './endpoints/user/user.endpoint.ts'
export type {
  FollowLinkInput,
  ProofType,
  VerifyOtpInput,
} from './endpoints/verify/verify.endpoint.ts'
export type {
  IdentityToImport,
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
  InstantInput,
  UserToImport,
} from './import/users/import-input.ts'
export type { RedirectDecision, RedirectRefusal } from './limits/redirects/explain-redirect.ts'
export type { AuthConfig } from './platform/config/config.ts'
export type {
  LayoutTexts,
  MailContent,
  MailTemplate,
  OutgoingMail,
  TemplateMail,
  TemplateResult,
} from './platform/config/sections/email.ts'
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
} from './platform/config/sections/hooks.ts'
export type {
  CallbackContext,
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
} from './platform/config/sections/provider-definition.ts'
export type { ProviderConfig } from './platform/config/sections/providers.ts'
export type { CaptchaAttempt, VerifyCaptcha } from './platform/config/sections/security.ts'
export type { WaitUntil } from './platform/config/sections/server.ts'
export type { OutgoingSms } from './platform/config/sections/sms.ts'
export type { CacheStorage } from './platform/config/sections/values.ts'
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  type StepUpAction,
  type WeakPasswordReason,
} from './platform/errors/auth-error.ts'
export {
  ConfigError,
  type ConfigProblem,
  EmbeddedPostgresMissingError,
  FolderInUseError,
  ForeignSchemaError,
  HashingPackageMissingError,
  MissingTablesError,
  PasswordScoreMissingError,
  RedisPackageMissingError,
  TelemetryStartError,
} from './platform/errors/start-errors.ts'
export type { FactorType } from './platform/factor-kinds/factor-kinds.ts'
export type { RequestLike } from './platform/http/request-like.ts'
export { ClosedError } from './platform/kit/drain.ts'
export { UnsupportedNodeError } from './platform/kit/require-node.ts'
export type { HostLogger, Logger } from './platform/observability/logger.ts'
export type { HostEntityManager, HostTransaction } from './platform/sql/host-transaction.ts'
export type {
  AdminApi,
  BanUserInput,
  CustomProvidersApi,
  GeneratedLink,
  OauthClientsApi,
} from './service/api/admin-api.ts'
export type { Auth, ClaimedViewer } from './service/api/auth.ts'
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
} from './service/api/auth-api.ts'
export type { CallActor, CallOptions } from './service/api/call-options.ts'
export type { OauthApi, OauthAuthorizationInput } from './service/api/oauth-api.ts'
export type { OutboxApi, OutboxFilter } from './service/api/outbox-api.ts'
export type {
  ProtectedResource,
  ProtectedResourceOptions,
  RequiredAccess,
  ResourceAccess,
  ResourceMetadata,
  ResourceRequest,
} from './service/api/protected-resource.ts'
export type { DueWork } from './service/api/run-due-work.ts'
export type { RequiredAssurance, RequiredScopes } from './service/api/step-up.ts'
export type { Viewer } from './service/api/viewer.ts'
export { createAuth } from './service/create-auth.ts'
