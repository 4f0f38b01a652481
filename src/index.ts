export type { AccessTokenClaims } from './access-tokens/claims.ts'
export type { AdminApi, BanInput, GeneratedLink } from './api/admin-api.ts'
export type {
  AuthApi,
  BearerInput,
  PasswordSignInResult,
  SentMessage,
  SignInResult,
  SignUpResult,
  VerifyOtpResult,
} from './api/auth-api.ts'
export type { CallOptions } from './api/call-options.ts'
export type { OutboxApi, OutboxFilter } from './api/outbox-api.ts'
export type { Viewer } from './api/viewer.ts'
export type { AuditAction } from './audit/actions.ts'
export type { AuditedUser, AuditRecord } from './audit/audit-record.ts'
export type { AuthConfig } from './config/auth-config.ts'
export type { OutgoingMail } from './config/sections/email.ts'
export type {
  MfaVerificationPayload,
  SendEmailPayload,
  SendSmsPayload,
} from './config/sections/hooks.ts'
export type { OutgoingSms } from './config/sections/sms.ts'
export { type Auth, type ClaimedViewer, createAuth } from './create-auth.ts'
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  type WeakPasswordReason,
} from './errors/auth-error.ts'
export { ConfigError, type ConfigProblem } from './errors/config-error.ts'
export {
  EmbeddedPostgresMissingError,
  FolderInUseError,
  ForeignSchemaError,
} from './errors/start-errors.ts'
export type { ListAuditInput, ListedAudit } from './flows/admin-audit/list-audit-input.ts'
export type {
  DeleteUserInput,
  NewUser as AdminNewUser,
  UserChanges as AdminUserChanges,
} from './flows/admin-users/admin-users.endpoint.ts'
export type { ExportedPerson } from './flows/admin-users/exported-person.ts'
export type { ListedUsers, ListUsersInput } from './flows/admin-users/list-users-input.ts'
export type { UserLookUp } from './flows/admin-users/user-look-up.ts'
export type {
  GeneratedLinkType,
  GenerateLinkInput,
} from './flows/generate-link/generate-link.endpoint.ts'
export type { InviteUserInput } from './flows/invite/invite.endpoint.ts'
export type { SignInWithOtpInput } from './flows/otp/otp.endpoint.ts'
export type { ResetPasswordInput } from './flows/recover/recover.endpoint.ts'
export type { ResendInput, ResendType } from './flows/resend/resend.endpoint.ts'
export type { EnrolledFactor, TotpEnrollment } from './flows/second-factor/enrolled-factor.ts'
export type { FactorChallenge } from './flows/second-factor/factor-challenge.ts'
export type {
  ChallengeFactorInput,
  EnrollFactorInput,
  FactorInput,
  VerifyFactorInput,
} from './flows/second-factor/second-factor.endpoint.ts'
export type { SignOutInput } from './flows/sign-out/sign-out.endpoint.ts'
export type { SignUpInput } from './flows/sign-up/sign-up.endpoint.ts'
export type { CodeExchangeInput, RefreshInput, SignInInput } from './flows/token/token.endpoint.ts'
export type { DeleteOwnUserInput, UpdateUserInput } from './flows/user/user.endpoint.ts'
export type { ProofType } from './flows/verify/proof-type.ts'
export type { FollowLinkInput, VerifyOtpInput } from './flows/verify/verify.endpoint.ts'
export type { LinkOptions } from './http/link-options.ts'
export type { RequestLike } from './http/request-like.ts'
export { ClosedError } from './kit/drain.ts'
export { UnsupportedNodeError } from './kit/require-node.ts'
export type { MessagePreview } from './messages/outbox/message.ts'
export type { OutboxRecord } from './messages/outbox/outbox-record.ts'
export type { OutboxStatus } from './messages/outbox/outbox-status.ts'
export type {
  GivenInstant,
  IdentityToImport,
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
  UserToImport,
} from './moving-in/users/import-input.ts'
export type { Logger } from './observability/logger.ts'
export type { RedirectDecision, RedirectRefusal } from './redirects/explain-redirect.ts'
export type { SessionInfo } from './sessions/session-info.ts'
export type { SessionTokens } from './sessions/session-tokens.ts'
export type { SignOutScope } from './sessions/sign-out-scope.ts'
export type { HostEntityManager, HostTransaction } from './sql/host-transaction.ts'
export type { Factor, FactorType, Identity, User } from './users/user.ts'
