import { SigningKey } from '../access-tokens/signing-key.entity.ts'
import { AuditEntry } from '../audit/audit-entry.entity.ts'
import { Challenge } from '../factors/challenge.entity.ts'
import { Factor } from '../factors/factor.entity.ts'
import { ImportedFactor } from '../factors/imported-factor.entity.ts'
import { PasswordAttempt } from '../limits/password-attempt.entity.ts'
import { RateLimitBucket } from '../limits/rate-limit-bucket.entity.ts'
import { OutboxMessage } from '../messages/outbox/outbox-message.entity.ts'
import { AuthorizationCode } from '../one-time-tokens/authorization-code.entity.ts'
import { OneTimeToken } from '../one-time-tokens/one-time-token.entity.ts'
import { ImportedSession } from '../sessions/imported-session.entity.ts'
import { ImportedToken } from '../sessions/imported-token.entity.ts'
import { Session } from '../sessions/session.entity.ts'
import { Identity } from '../users/identity.entity.ts'
import { ImportedUser } from '../users/imported-user.entity.ts'
import { User } from '../users/user.entity.ts'

/** Everything that is stored. */
export const entities = [
  User,
  Identity,
  Session,
  OneTimeToken,
  AuditEntry,
  SigningKey,
  ImportedUser,
  ImportedSession,
  ImportedToken,
  ImportedFactor,
  RateLimitBucket,
  PasswordAttempt,
  OutboxMessage,
  AuthorizationCode,
  Factor,
  Challenge,
]
