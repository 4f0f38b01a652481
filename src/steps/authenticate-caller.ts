import { noAuthorization } from '../access-tokens/access-token-errors.ts'
import type { AccessTokenClaims } from '../access-tokens/claims.ts'
import { readSubject } from '../access-tokens/token-subject.ts'
import { requireAudience, verifyAccessToken } from '../access-tokens/verify-access-token.ts'
import type { AuthContext } from '../deps.ts'
import { isSecondFactor, newestProof } from '../sessions/assurance.ts'
import { type CallerRow, findCaller } from '../sessions/find-caller.sql.ts'
import { type Session, toSession } from '../sessions/session.ts'
import { sessionNotFound } from '../sessions/session-errors.ts'
import { hasVerifiedFactor, isBanned, type User } from '../users/user.ts'
import { subjectNotFound, userBanned } from '../users/user-errors.ts'
import { banOf, toUser, type UserRow, userExpression } from '../users/user-row.ts'

/** Who asks: a user who exists and is not banned, on a session that was not ended. */
export interface Caller {
  user: User
  /** Null for a token that names no session, such as one that an operator made. */
  session: Session | null
  claims: AccessTokenClaims
}

/**
 * Finds out who asks, in one statement, once all of the request is there.
 *
 * @throws AuthError `no_authorization` (401) without a token, `bad_jwt` for one that is not valid,
 *   `user_not_found`, `session_not_found` or `user_banned` (403) when the token outlived its reason.
 */
export async function authenticateCaller(ctx: AuthContext, token: string | null): Promise<Caller> {
  return requireCaller(ctx, await verifyBearer(ctx, token))
}

/**
 * The user and session that a verified token is about.
 *
 * @throws AuthError as {@link authenticateCaller} does.
 */
export async function requireCaller(ctx: AuthContext, claims: AccessTokenClaims): Promise<Caller> {
  const { user, session } = await requireCallerRow(ctx, claims)
  return { user: toUser(user), session: session && toSession(session), claims }
}

/** The same as read, for who passes it on and does not look into it. */
export async function requireCallerRow(
  ctx: AuthContext,
  claims: AccessTokenClaims,
): Promise<CallerRow<UserRow>> {
  const { userId, sessionId } = readSubject(claims)
  await ctx.request.arrived()
  const found = await findCaller<UserRow>(ctx.sql, userExpression, userId, sessionId)
  if (!found) throw subjectNotFound()
  const { user, session } = found
  // The service's own audience is always right; a user of another one has tokens for that.
  requireAudience(claims, ctx.config.jwt.audience, user.audience)
  if (sessionId !== null && !session) throw sessionNotFound()
  if (isBanned(banOf(user), ctx.clock.now())) throw userBanned()
  return found
}

/** Verifies a bearer token by its signature and lifetime; asks no database. */
export async function verifyBearer(
  { keys, clock, config }: Pick<AuthContext, 'keys' | 'clock' | 'config'>,
  token: string | null,
): Promise<AccessTokenClaims> {
  if (token === null) throw noAuthorization()
  return verifyAccessToken(keys, token, { now: clock.now(), issuer: config.jwt.issuer })
}

/**
 * Whether a caller is at `aal2`, be it by a trusted device. Session and token both have to say so: a token from before
 * the proof stays as weak as it was, and so does a session whose factor is gone.
 */
export const isAtAal2 = ({ session, claims }: Caller): boolean =>
  session?.aal === 'aal2' && claims.aal === 'aal2'

/** Whether a caller has shown a second factor itself, in this session and by this token. */
export const hasShownSecondFactor = (caller: Caller): boolean =>
  isAtAal2(caller) && [caller.session?.amr, caller.claims.amr].every(provesSecondFactor)

/** Whether it says so of one that was shown: a trusted device stands for it, and opens less. */
export const provesSecondFactor = (amr: unknown): boolean =>
  newestProof(amr, isSecondFactor) !== null

/** Whether a caller has a second factor and has not shown it. */
export const needsStepUp = (caller: Caller): boolean =>
  hasVerifiedFactor(caller.user) && !hasShownSecondFactor(caller)
