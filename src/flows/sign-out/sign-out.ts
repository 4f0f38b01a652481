import type { AccessTokenClaims } from '../../access-tokens/claims.ts'
import { readSubject } from '../../access-tokens/token-subject.ts'
import { hasAudience, requireAudience } from '../../access-tokens/verify-access-token.ts'
import { auditNote } from '../../audit/audit-note.ts'
import type { EndedSessions } from '../../config/sections/hooks.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { isStorable } from '../../kit/storable-text.ts'
import { endSessions } from '../../sessions/end-sessions.sql.ts'
import { sessionNotFound } from '../../sessions/session-errors.ts'
import { type SignOutScope, signOutScopes } from '../../sessions/sign-out-scope.ts'
import { verifyBearer } from '../../steps/authenticate-caller.ts'
import { rowsOfEnd, tellEvents } from '../../steps/event-rows.ts'
import { isBanned } from '../../users/user.ts'
import { subjectNotFound, userBanned } from '../../users/user-errors.ts'

/**
 * Ends the caller's sessions: all of them (`global`, the default), this one (`local`) or all but
 * this one (`others`). A token that names no session ends all.
 *
 * Check and deletion are one statement, so this asks the database once.
 *
 * @throws AuthError `no_authorization` (401), `bad_jwt`, `user_not_found`, `session_not_found`,
 *   `user_banned` (403), `validation_failed` for another scope.
 */
export async function signOut(
  ctx: AuthContext,
  token: string | null,
  scope = 'global',
): Promise<void> {
  const claims = await verifyBearer(ctx, token)
  const { userId, sessionId } = readSubject(claims)
  if (!isScope(scope)) throw validationFailed(`scope: has to be one of ${signOutScopes.join(', ')}`)

  const now = ctx.clock.now()
  const note = auditNote(ctx, { action: 'logout', actorId: userId })
  const caller = await endSessions(ctx.sql, {
    userId,
    sessionId,
    scope,
    now,
    audiences: hasAudience(claims, ctx.config.jwt.audience) ? null : storableAudiences(claims),
    messageRows: rowsOfEnd(ctx, userId, endedBy(sessionId, scope)),
    auditRows: note.rows,
  })
  if (!caller) throw subjectNotFound()
  requireAudience(claims, ctx.config.jwt.audience, caller.audience)
  if (sessionId !== null && !caller.hasSession) throw sessionNotFound()
  if (isBanned(caller, now)) throw userBanned()
  note.log()
  tellEvents(ctx)
}

const endedBy = (sessionId: string | null, scope: SignOutScope): EndedSessions =>
  sessionId === null || scope === 'global'
    ? { scope: 'global', session_id: null, reason: 'sign_out' }
    : { scope, session_id: sessionId, reason: 'sign_out' }

/** One that no stored text can be is nobody's. A token of another service under our key may say anything. */
const storableAudiences = ({ aud = [] }: AccessTokenClaims): string[] =>
  [aud].flat().filter((one) => typeof one === 'string' && isStorable(one))

const isScope = (text: string): text is SignOutScope =>
  signOutScopes.some((scope) => scope === text)
