import type { ExternalTokens } from '../../platform/config/sections/provider-definition.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { AuthContext } from '../auth-context.ts'
import type { FlowMethod } from '../one-time-tokens/authorization-code.entity.ts'
import { issueAuthorizationCode } from '../one-time-tokens/authorization-code.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import type { AuthenticationMethod } from '../sessions/assurance.ts'
import { newSession, newSessionRow } from '../sessions/session.ts'
import { type SessionCeiling, sessionCeiling } from '../sessions/session-limits.ts'
import type { User } from '../users/user.ts'
import { type IssuedSession, issueSession } from './issue-session.ts'

/** The rows that a sign-in stores, from `rowsOf`, in the statement that consumes the proof. */
export type SignInRows = SessionOpening | { codeRows: Rows<'authorization_codes'> }

/** The row of a session, and the maximum number of the user's sessions. */
export interface SessionOpening {
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
}

/** A sign-in that opens nothing before its rows are stored. */
export interface PreparedSignIn<Rows, End> {
  rows: Rows
  /** Completes the sign-in once the rows are stored. The user is as the statement stored it. */
  complete(user: User): Promise<End>
}

interface SessionOrder {
  userId: string
  /** The method of the proof. */
  method: AuthenticationMethod
  /** The kind of recipient of the code, where that was a phone. */
  sentTo?: 'phone' | null
  /** The time of the proof where it is not now: see `olderProofOf`. */
  provedAt?: Date | null
}

/**
 * Prepares a session for a user who has just authenticated. The act that stores its rows records
 * the sign-in.
 */
export function prepareSession(
  ctx: AuthContext,
  { userId, method, sentTo, provedAt }: SessionOrder,
): PreparedSignIn<SessionOpening, IssuedSession> {
  const now = ctx.clock.now()
  const first = { method, sentTo: sentTo ?? null, provedAt: provedAt ?? now }
  const session = newSession(first, now)
  return {
    rows: {
      sessionRows: rowsOf('sessions', newSessionRow(session, userId, ctx.request)),
      sessionCeiling: sessionCeiling(ctx.config.sessions, now),
    },
    complete: (user) => {
      ctx.telemetry?.count('auth.sign_ins', { 'auth.method': method, 'auth.result': 'ok' })
      return issueSession(ctx, user, session, { method, refreshCounter: 0 })
    },
  }
}

interface CodeOrder {
  userId: string
  codeChallenge: CodeChallenge
  /** The method of the proof, as the session that the code is exchanged for will state it. */
  method: FlowMethod
  /** The time of the proof where it is not that of the exchange: see `olderProofOf`. */
  provedAt?: Date | null
  /** The provider's tokens, for the client. */
  providerTokens?: ExternalTokens | null
}

/** Prepares the code that a client of PKCE exchanges for a session. @see RFC 7636 */
export function prepareCode(
  ctx: AuthContext,
  order: CodeOrder,
): PreparedSignIn<{ codeRows: Rows<'authorization_codes'> }, { code: string }> {
  const { code, row } = issueAuthorizationCode(
    ctx,
    { ...order, lifetimeSeconds: ctx.config.externalSignIn.lifetimeSeconds },
    ctx.clock.now(),
  )
  return {
    rows: { codeRows: rowsOf('authorization_codes', row) },
    complete: async () => ({ code }),
  }
}
