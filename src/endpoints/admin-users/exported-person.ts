import type { AuditAction } from '../../accounts/audit/actions.ts'
import type {
  AuthenticatorAssuranceLevel,
  StoredMethodReference,
} from '../../accounts/sessions/assurance.ts'
import type { Identity, User } from '../../accounts/users/user.ts'
import type { OutboxStatus } from '../../delivery/outbox/message.ts'
import type { CapabilityExport } from '../../platform/capability-terms.ts'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'

/**
 * The export of a user, read from the database while it is consumed: memory holds a page of rows at
 * a time.
 *
 * @example
 * await pipeline(await auth.admin.exportUser(id), createWriteStream('ada.json'))
 */
export interface PersonExport extends AsyncIterable<string> {
  /** Returns the whole export in memory. For users with little stored data. */
  read(): Promise<ExportedPerson>
}

/**
 * All stored data of a user: plain JSON, with instants in ISO 8601. Hashes of secrets and sealed
 * values (the content of messages, tokens of providers) are left out.
 */
export interface ExportedPerson extends CapabilityExport {
  exportedAt: string
  /** Null for a deleted user, of whom audit entries may remain. */
  user: ExportedUser | null
  identities: ExportedIdentity[]
  /** The identities with stored tokens of the provider. */
  providerTokens: ExportedProviderToken[]
  /** A record for a user that was imported from another service. */
  imports: { id: string; updatedAt: string }[]
  sessions: ExportedSession[]
  /** The sessions that a token of the other service still renews. */
  importedTokens: { sessionId: string }[]
  factors: ExportedFactor[]
  /** Challenges of factors of the last day. */
  challenges: ExportedChallenge[]
  recoveryCodes: ExportedRecoveryCode[]
  passkeys: ExportedPasskey[]
  /** Passkey registrations that were started in the last day. */
  webAuthnChallenges: ExportedWebAuthnChallenge[]
  /** Links and codes that were sent and not used. */
  oneTimeTokens: ExportedOneTimeToken[]
  /** Codes of followed links that were not exchanged for a session. */
  authorizationCodes: ExportedAuthorizationCode[]
  /** Flows for linking an identity that are not completed. */
  oauthStates: ExportedOauthState[]
  /** Messages of the last week. */
  messages: ExportedMessage[]
  /** Password attempts for the user's addresses in the last day, from all clients. */
  passwordAttempts: { key: string; failures: number; lastAttempt: string; attemptedAt: string }[]
  /** Send intervals and attempt counters. */
  limits: { key: string; tokens: number; refilledAt: string }[]
  /** Actions of the user, and of others that affect the user. */
  auditEntries: ExportedEntry[]
  /**
   * Rows of companions such as the subscription pages, by table name. Left out where there is none.
   */
  companions?: Record<string, Record<string, unknown>[]>
}

/** The columns of a {@link User}, and its sign-up origin. */
export interface ExportedUser
  extends AsJson<Omit<User, 'emailChangeConfirmedBy' | 'identities' | 'factors'>> {
  /** The address of a change that has confirmed it: 1 the current one, 2 the new one; else 0. */
  emailChangeConfirmStatus: number
  registeredBy: string | null
  registeredFrom: string | null
  registeredKeys: readonly string[] | null
}

/** Instants are text in ISO 8601. */
type AsJson<T> = {
  [Name in keyof T]: T[Name] extends Date | null ? Extract<T[Name], null> | string : T[Name]
}

export interface ExportedIdentity extends AsJson<Identity> {}

export interface ExportedProviderToken {
  identityId: string
  scopes: string[] | null
  expiresAt: string | null
  createdAt: string
  updatedAt: string
}

export interface ExportedSession {
  id: string
  userId: string
  aal: AuthenticatorAssuranceLevel
  amr: StoredMethodReference[]
  factorId: string | null
  refreshTokenCounter: number
  refreshedAt: string | null
  notAfter: string | null
  revokedAt: string | null
  tag: string | null
  ip: string | null
  openedIp: string | null
  userAgent: string | null
  /** The OAuth client that the session belongs to; null for one of the user's own. */
  oauthClientId: string | null
  scopes: string | null
  oauthResource: string | null
  oauthKey: string | null
  createdAt: string
}

export interface ExportedFactor {
  id: string
  userId: string
  factorType: FactorType
  status: 'unverified' | 'verified'
  friendlyName: string | null
  phone: string | null
  lastUsedStep: number | null
  /**
   * The id of a security key, in base64url. Null for other factors, as are all fields up to
   * `backedUp`.
   */
  credentialId: string | null
  /** In COSE. */
  publicKey: string | null
  signCount: number | null
  transports: string[] | null
  attestationFormat: string | null
  webAuthnAaguid: string | null
  backupEligible: boolean | null
  backedUp: boolean | null
  addedWithoutProofAt: string | null
  lastChallengedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface ExportedChallenge {
  id: string
  factorId: string
  sessionId: string | null
  attempts: number
  ip: string | null
  expiresAt: string
  spentAt: string | null
  createdAt: string
}

export interface ExportedRecoveryCode {
  id: string
  factorId: string
  spentAt: string | null
  createdAt: string
}

export interface ExportedPasskey {
  id: string
  userId: string
  /** In base64url. */
  credentialId: string
  /** In COSE. */
  publicKey: string
  signCount: number
  transports: string[]
  attestationFormat: string
  aaguid: string
  backupEligible: boolean
  backedUp: boolean
  friendlyName: string
  createdAt: string
  updatedAt: string
  lastUsedAt: string | null
  suspendedAt: string | null
}

export interface ExportedWebAuthnChallenge {
  id: string
  userId: string | null
  sessionId: string | null
  purpose: string
  expiresAt: string
  createdAt: string
}

export interface ExportedOneTimeToken {
  id: string
  userId: string
  purpose: string
  requestedBy: string
  requestedFrom: string | null
  audience: string
  sentTo: string
  /** The suspended passkey or identity that it confirms. */
  credentialId: string | null
  codeChallenge: string | null
  codeChallengeMethod: 's256' | 'plain' | null
  expiresAt: string
  createdAt: string
}

export interface ExportedAuthorizationCode {
  id: string
  userId: string
  codeChallenge: string
  codeChallengeMethod: 's256' | 'plain'
  method: string
  provedAt: string | null
  expiresAt: string
  createdAt: string
}

export interface ExportedOauthState {
  createdAt: string
  provider: string
  redirectTo: string
  redirectUri: string
  audience: string
  linkingUserId: string | null
  linkingSessionId: string | null
  codeChallenge: string | null
  codeChallengeMethod: 's256' | 'plain' | null
  expiresAt: string
}

export interface ExportedMessage {
  id: string
  userId: string | null
  channel: string
  kind: string
  recipient: string
  status: OutboxStatus
  attempts: number
  nextAttemptAt: string | null
  expiresAt: string | null
  carrierMessageId: string | null
  lastError: string | null
  settledAt: string | null
  createdAt: string
}

export interface ExportedEntry {
  id: string
  createdAt: string
  /** Null for an action that only a newer version defines. */
  action: AuditAction | null
  actorId: string | null
  actorRole: string | null
  userId: string | null
  traits: Record<string, unknown> | null
  ip: string | null
  requestId: string | null
}
