import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import {
  type AcceptedCaller,
  readSubject,
  requireOwnToken,
} from '../../credentials/access-tokens/token-subject.ts'
import { requireAudience } from '../../credentials/access-tokens/verify-access-token.ts'
import type { AuthContext } from '../auth-context.ts'
import {
  type AuthenticatorAssuranceLevel,
  hasMethod,
  isSecondFactor,
} from '../sessions/assurance.ts'
import { type CallerRow, findCaller } from '../sessions/find-session.sql.ts'
import { type Session, toSession } from '../sessions/session.ts'
import { requireLiveSession } from '../sessions/session-errors.ts'
import { sessionLimits } from '../sessions/session-limits.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserExpression,
  toStoredUser,
} from '../users/find-user.sql.ts'
import { hasVerifiedFactor, type User } from '../users/user.ts'
import { subjectNotFound } from '../users/user-errors.ts'
import { toUser, type UserRow, userExpression } from '../users/user-row.ts'
import { verifyBearer } from './identify-bearer.ts'

/** The caller: an existing user who is not banned, with a live session. */
export interface Caller {
  user: User
  /** Null for a token without a session, such as one that an operator issued. */
  session: Session | null
  claims: AccessTokenClaims
}

/** A caller with the proofs that session and token state. */
export type ProvedCaller = Pick<Caller, 'user' | 'session'> & {
  claims: Pick<AccessTokenClaims, 'aal' | 'amr'>
}

/**
 * Returns the caller, with one statement.
 *
 * @throws AuthError `no_authorization` (401) without a token, `bad_jwt` for one that is not valid,
 *   `user_not_found`, `session_not_found`, `session_expired` or `user_banned` (403) for a valid
 *   token whose user or session has ended, `insufficient_scope` (403) for one of an OAuth client.
 */
export async function authenticateCaller(
  ctx: AuthContext,
  token: string | null,
  accepted?: AcceptedCaller,
): Promise<Caller> {
  return requireCaller(ctx, await verifyBearer(ctx, token), accepted)
}

/**
 * Returns the user and session of a verified token.
 *
 * @throws AuthError as {@link authenticateCaller} does.
 */
export async function requireCaller(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  accepted?: AcceptedCaller,
): Promise<Caller> {
  const { user, session } = await requireCallerRow(ctx, claims, accepted)
  return { user: toUser(user), session: session && toSession(session), claims }
}

/** Returns the rows of {@link requireCaller}, for callers that pass them on unread. */
export async function requireCallerRow(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  accepted?: AcceptedCaller,
): Promise<CallerRow<UserRow>> {
  requireOwnToken(claims, accepted)
  const { userId, sessionId } = readSubject(claims)
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const found = await findCaller<UserRow>(ctx.sql, userExpression, { userId, sessionId, limits })
  if (!found || found.ending === 'deleted') throw subjectNotFound()
  // The service's own audience is always accepted; a user in another audience has tokens for that
  // one.
  requireAudience(claims, ctx.config.jwt.audience, found.user.audience)
  requireLiveSession(found.ending)
  return found
}

/**
 * Returns the level of a caller: `aal2` by a factor or a substitute for one. Both session and token
 * must contain it: a token from before the proof stays weak, and so does a session whose factor was
 * removed.
 */
export const aalOf = ({ session, claims }: ProvedCaller): AuthenticatorAssuranceLevel =>
  session?.aal === 'aal2' && claims.aal === 'aal2' ? 'aal2' : 'aal1'

/** Returns whether the caller has used a second factor, in this session and with this token. */
export const hasShownSecondFactor = (caller: ProvedCaller): boolean =>
  aalOf(caller) === 'aal2' && [caller.session?.amr, caller.claims.amr].every(provesSecondFactor)

/**
 * Returns whether an `amr` contains the proof of a second factor. A substitute for one is no proof.
 */
export const provesSecondFactor = (amr: unknown): boolean => hasMethod(amr, isSecondFactor)

/**
 * Returns whether the caller has a second factor and has not used one. Unlike for `needsAal2`, a
 * substitute for a factor does not suffice.
 */
export const needsFactorProof = (caller: ProvedCaller): boolean =>
  hasVerifiedFactor(caller.user) && !hasShownSecondFactor(caller)

/** The actor of a change, and its session. */
export interface Actor {
  userId: string
  /** Null for a token without a session. */
  sessionId: string | null
}

/**
 * Reads the actor again, with all data from which a change of the account is computed.
 *
 * @throws AuthError `user_not_found`, `session_not_found`, `session_expired`, `user_banned` (403).
 */
export async function requireStoredCaller(
  ctx: AuthContext,
  { userId, sessionId }: Actor,
): Promise<{ stored: StoredUser; session: Session | null }> {
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const lookUp = { userId, sessionId, limits }
  const found = await findCaller<StoredUserColumns>(ctx.sql, storedUserExpression, lookUp)
  if (!found) throw subjectNotFound()
  requireLiveSession(found.ending)
  return { stored: toStoredUser(found.user), session: found.session && toSession(found.session) }
}
