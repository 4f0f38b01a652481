import { SigningKey } from '../access-tokens/signing-key.entity.ts'
import { AuditEntry } from '../audit/audit-entry.entity.ts'
import { SubscribePage } from '../companions/subscribe-pages/subscribe-page.entity.ts'
import { SubscribePageEntry } from '../companions/subscribe-pages/subscribe-page-entry.entity.ts'
import { SubscribePageKey } from '../companions/subscribe-pages/subscribe-page-key.entity.ts'
import { SubscribePageOwner } from '../companions/subscribe-pages/subscribe-page-owner.entity.ts'
import { SubscriberList } from '../companions/subscribe-pages/subscriber-list.entity.ts'
import { Decision } from '../decisions/decision.entity.ts'
import { Challenge } from '../factors/challenge.entity.ts'
import { Factor } from '../factors/factor.entity.ts'
import { ImportedFactor } from '../factors/imported-factor.entity.ts'
import { RecoveryCode } from '../factors/recovery-code.entity.ts'
import { PasswordAttempt } from '../limits/password-attempt.entity.ts'
import { RateLimitBucket } from '../limits/rate-limit-bucket.entity.ts'
import { OutboxMessage } from '../messages/outbox/outbox-message.entity.ts'
import { OauthState } from '../oauth-states/oauth-state.entity.ts'
import { AuthorizationCode } from '../one-time-tokens/authorization-code.entity.ts'
import { OneTimeToken } from '../one-time-tokens/one-time-token.entity.ts'
import { ImportedPasskey } from '../passkeys/imported-passkey.entity.ts'
import { Passkey } from '../passkeys/passkey.entity.ts'
import { WebAuthnChallenge } from '../passkeys/web-authn-challenge.entity.ts'
import { ImportedSession } from '../sessions/imported-session.entity.ts'
import { ImportedToken } from '../sessions/imported-token.entity.ts'
import { Session } from '../sessions/session.entity.ts'
import { TrustedDevice } from '../trusted-devices/trusted-device.entity.ts'
import { Identity } from '../users/identity.entity.ts'
import { ImportedUser } from '../users/imported-user.entity.ts'
import { ProviderToken } from '../users/provider-token.entity.ts'
import { User } from '../users/user.entity.ts'
import { SpentWalletMessage } from '../wallets/spent-wallet-message.entity.ts'

/** Everything that is stored, wherever Latchkey is. */
export const entities = [
  User,
  Identity,
  ProviderToken,
  Session,
  OneTimeToken,
  AuditEntry,
  SigningKey,
  ImportedUser,
  ImportedSession,
  ImportedToken,
  ImportedFactor,
  ImportedPasskey,
  RateLimitBucket,
  PasswordAttempt,
  OutboxMessage,
  AuthorizationCode,
  OauthState,
  Factor,
  Challenge,
  RecoveryCode,
  SpentWalletMessage,
  Passkey,
  WebAuthnChallenge,
  Decision,
  TrustedDevice,
]

/** What companions store besides, where they are made. */
export const companionEntities = [
  SubscribePage,
  SubscribePageEntry,
  SubscribePageKey,
  SubscribePageOwner,
  SubscriberList,
]
