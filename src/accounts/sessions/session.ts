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
})

/** The first factor of a session. */
export interface FirstFactor {
  method: AuthenticationMethod
  /** The recipient of its code, where that was a phone. */
  sentTo?: 'phone' | null
  /** The time of the proof. */
  provedAt: Date
}

/** Returns a session that begins now. */
export const newSession = (
  id: string,
  { method, sentTo, provedAt }: FirstFactor,
  now: Date,
): Session => ({
  id,
  aal: 'aal1',
  amr: [{ ...proofBy(method, provedAt), ...(sentTo && { sentTo }) }],
  createdAt: now,
  refreshedAt: null,
  notAfter: null,
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
  created_at: session.createdAt.toISOString(),
})
