import {
  type AuthenticationMethod,
  type AuthenticationMethodReference,
  type AuthenticatorAssuranceLevel,
  proofBy,
} from './assurance.ts'

/** A sign-in that can be renewed, as read. */
export interface Session {
  id: string
  aal: AuthenticatorAssuranceLevel
  amr: AuthenticationMethodReference[]
  createdAt: Date
  /** When it was last renewed; null before the first time. */
  refreshedAt: Date | null
  /** An end that was set for this session alone. */
  notAfter: Date | null
}

/** What a client holds of its session: the tokens that prove and renew it. */
export interface SessionTokens {
  id: string
  /** A JWT for the `Authorization` header. */
  accessToken: string
  /** Good once; a refresh answers the next. */
  refreshToken: string
  /** When the access token expires. */
  expiresAt: Date
  expiresInSeconds: number
}

/** The row of a session as PostgreSQL writes it in JSON. */
export interface SessionRow {
  id: string
  user_id: string
  aal: AuthenticatorAssuranceLevel
  amr: AuthenticationMethodReference[]
  factor_id: string | null
  refresh_token_counter: number
  refreshed_at: string | null
  not_after: string | null
  revoked_at: string | null
  tag: string | null
  ip: string | null
  opened_ip: string | null
  user_agent: string | null
  created_at: string
}

export const toSession = (row: SessionRow): Session => ({
  id: row.id,
  aal: row.aal,
  amr: row.amr,
  createdAt: new Date(row.created_at),
  refreshedAt: row.refreshed_at === null ? null : new Date(row.refreshed_at),
  notAfter: row.not_after === null ? null : new Date(row.not_after),
})

/** A session that begins now. */
export const newSession = (id: string, method: AuthenticationMethod, now: Date): Session => ({
  id,
  aal: 'aal1',
  amr: [proofBy(method, now)],
  createdAt: now,
  refreshedAt: null,
  notAfter: null,
})

/** Where a sign-in came from. */
export interface SessionOrigin {
  ip: string | null
  userAgent: string | null
}

/** The row of a new session, whose first refresh token has the counter 0. */
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
