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
 * The export of a person, read from the database while it is consumed: memory holds a page of rows at a time.
 *
 * @example
 * await pipeline(await auth.admin.exportUser(id), createWriteStream('ada.json'))
 */
export interface PersonExport extends AsyncIterable<string> {
  /** The whole export in memory. For people of whom little is stored. */
  read(): Promise<ExportedPerson>
}

/**
 * Everything that is stored about a person: plain JSON, with instants in ISO 8601. Left out are hashes of
 * secrets, and what is sealed: what messages say, and tokens of providers.
 */
export interface ExportedPerson extends CapabilityExport {
  exportedAt: string
  /** Null for somebody who was deleted: then there may be entries of the audit log. */
  user: ExportedUser | null
  identities: ExportedIdentity[]
  /** Of which identities tokens of the provider are kept. */
  providerTokens: ExportedProviderToken[]
  /** That the person came from another service. */
  imports: { id: string; updatedAt: string }[]
  sessions: ExportedSession[]
  /** Which sessions a token of the other service still renews. */
  importedTokens: { sessionId: string }[]
  factors: ExportedFactor[]
  /** Attempts of the last day to prove a factor. */
  challenges: ExportedChallenge[]
  recoveryCodes: ExportedRecoveryCode[]
  passkeys: ExportedPasskey[]
  /** Passkeys that were being registered in the last day. */
  webAuthnChallenges: ExportedWebAuthnChallenge[]
  /** Links and codes that were sent and not used. */
  oneTimeTokens: ExportedOneTimeToken[]
  /** Codes that links ended in, and that no session was fetched with. */
  authorizationCodes: ExportedAuthorizationCode[]
  /** Journeys to a provider, to link an account there, that are not over. */
  oauthStates: ExportedOauthState[]
  /** Messages of the last week. */
  messages: ExportedMessage[]
  /** Passwords that were tried for the person's addresses in the last day, by whomever. */
  passwordAttempts: { key: string; failures: number; lastAttempt: string; attemptedAt: string }[]
  /** Intervals between messages, and codes that were tried. */
  limits: { key: string; tokens: number; refilledAt: string }[]
  /** What the person did, and what was done to them. */
  auditEntries: ExportedEntry[]
  /** What companions such as the subscription pages store, by the names of their tables. Left out where there are none. */
  companions?: Record<string, Record<string, unknown>[]>
}

/** What of a {@link User} is stored in the row of theirs, and what registered it. */
export interface ExportedUser
  extends AsJson<Omit<User, 'emailChangeConfirmedBy' | 'identities' | 'factors'>> {
  /** Which of the two addresses of a change has confirmed it: 1 the current one, 2 the new one; else 0. */
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
  /** Of a security key, in base64url, as the key is; null for other factors, as all up to `backedUp`. */
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
  /** In base64url, as the key is. */
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
  /** Null for an action that only a newer version knows. */
  action: AuditAction | null
  actorId: string | null
  actorRole: string | null
  userId: string | null
  traits: Record<string, unknown> | null
  ip: string | null
  requestId: string | null
}
