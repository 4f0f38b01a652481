import { AuditEntry } from '../../accounts/audit/audit-entry.entity.ts'
import { DecisionEntity } from '../../accounts/decisions/decision.entity.ts'
import { Challenge } from '../../accounts/factors/challenge.entity.ts'
import { FactorEntity, ImportedFactor } from '../../accounts/factors/factor.entity.ts'
import { RecoveryCode } from '../../accounts/factors/recovery-code.entity.ts'
import { AuthorizationCode } from '../../accounts/one-time-tokens/authorization-code.entity.ts'
import { OneTimeToken } from '../../accounts/one-time-tokens/one-time-token.entity.ts'
import { ImportedPasskey, PasskeyEntity } from '../../accounts/passkeys/passkey.entity.ts'
import { WebAuthnChallenge } from '../../accounts/passkeys/web-authn-challenge.entity.ts'
import { ImportedSession, ImportedToken } from '../../accounts/sessions/imported-session.entity.ts'
import { SessionEntity } from '../../accounts/sessions/session.entity.ts'
import { IdentityEntity } from '../../accounts/users/identity.entity.ts'
import { ProviderToken } from '../../accounts/users/provider-token.entity.ts'
import { ImportedUser, UserEntity } from '../../accounts/users/user.entity.ts'
import { SigningKey } from '../../credentials/access-tokens/signing-key.entity.ts'
import { SpentIdToken } from '../../credentials/external/spent-id-token.entity.ts'
import { OauthState } from '../../credentials/oauth-states/oauth-state.entity.ts'
import { SpentWalletMessage } from '../../credentials/wallets/spent-wallet-message.entity.ts'
import { OutboxMessage } from '../../delivery/outbox/outbox-message.entity.ts'
import { PasswordAttemptEntity } from '../../limits/password-attempt.entity.ts'
import { RateLimitBucket } from '../../limits/rate-limit-bucket.entity.ts'

/** The entities of the tables that every database has, besides those of capabilities. */
export const entities = [
  UserEntity,
  IdentityEntity,
  ProviderToken,
  SessionEntity,
  OneTimeToken,
  AuditEntry,
  SigningKey,
  ImportedUser,
  ImportedSession,
  ImportedToken,
  ImportedFactor,
  ImportedPasskey,
  RateLimitBucket,
  PasswordAttemptEntity,
  OutboxMessage,
  AuthorizationCode,
  OauthState,
  FactorEntity,
  Challenge,
  RecoveryCode,
  SpentIdToken,
  SpentWalletMessage,
  PasskeyEntity,
  WebAuthnChallenge,
  DecisionEntity,
]
