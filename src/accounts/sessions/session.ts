import { scopesIn } from '../../platform/kit/scopes-in.ts'
import { timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import {
  type AuthenticationMethod,
  type AuthenticatorAssuranceLevel,
  proofBy,
  type StoredMethodReference,
} from './assurance.ts'
import type { SessionEntity } from './session.entity.ts'

/** A sign-in that can be renewed, as read. */
export interface Session {
  id: string
  aal: AuthenticatorAssuranceLevel
  amr: StoredMethodReference[]
  createdAt: Date
  /** The time of its last renewal; null before the first. */
  refreshedAt: Date | null
  /** An end that was set only for this session. */
  notAfter: Date | null
  /** The access of an OAuth client; null for a session of the user's own. */
  grant: ClientGrant | null
}

/** The access that the tokens of an OAuth client have. */
export interface ClientGrant {
  clientId: string
  /** Separated by spaces. */
  scope: string
  /** The only audience of the tokens; null for that of the user. @see RFC 8707 */
  resource: string | null
  /**
   * The thumbprint of the key that the tokens are bound to; null for bearer tokens. @see RFC 9449
   */
  keyThumbprint: string | null
}

/**
 * Returns the scopes of a token that its session still has. The user and operators can withdraw
 * some from the session before the token expires.
 */
export function remainingScopes(claimed: string | undefined, ofSession: string | null): string[] {
  const granted = scopesIn(ofSession ?? '')
  return scopesIn(claimed ?? '').filter((scope) => granted.includes(scope))
}

/** The row of a session as PostgreSQL writes it in JSON. */
export type SessionRow = RowOf<SessionEntity>

export const toSession = (row: SessionRow): Session => ({
  id: row.id,
  aal: row.aal,
  amr: row.amr,
  createdAt: new Date(row.created_at),
  refreshedAt: row.refreshed_at === null ? null : new Date(row.refreshed_at),
  notAfter: row.not_after === null ? null : new Date(row.not_after),
  grant: grantOf(row),
})

function grantOf(row: SessionRow): ClientGrant | null {
  if (row.oauth_client_id === null) return null
  return {
    clientId: row.oauth_client_id,
    scope: row.scopes ?? '',
    resource: row.oauth_resource,
    keyThumbprint: row.oauth_key,
  }
}

/** The first factor of a session. */
export interface FirstFactor {
  method: AuthenticationMethod
  /** The recipient of its code, where that was a phone. */
  sentTo?: 'phone' | null
  /** The time of the proof. */
  provedAt: Date
}

/**
 * Returns a session that begins now. Its id sorts by time: new sessions are on the same pages of
 * the index, which are written to the log once and not split.
 */
export const newSession = ({ method, sentTo, provedAt }: FirstFactor, now: Date): Session => ({
  id: timeOrderedUuid(now),
  aal: 'aal1',
  amr: [{ ...proofBy(method, provedAt), ...(sentTo && { sentTo }) }],
  createdAt: now,
  refreshedAt: null,
  notAfter: null,
  grant: null,
})

/** The origin of a sign-in. */
export interface SessionOrigin {
  ip: string | null
  userAgent: string | null
}

/** Returns the row of a new session, whose first refresh token has the counter 0. */
export const newSessionRow = (
  session: Session,
  userId: string,
  { ip, userAgent }: SessionOrigin,
): SessionRow => ({
  id: session.id,
  user_id: userId,
  aal: session.aal,
  amr: session.amr,
  factor_id: null,
  refresh_token_counter: 0,
  refreshed_at: null,
  not_after: null,
  revoked_at: null,
  tag: null,
  ip,
  opened_ip: ip,
  user_agent: userAgent,
  oauth_client_id: session.grant?.clientId ?? null,
  scopes: session.grant?.scope ?? null,
  oauth_resource: session.grant?.resource ?? null,
  oauth_key: session.grant?.keyThumbprint ?? null,
  created_at: session.createdAt.toISOString(),
})
