import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { seeingChanges } from '../../accounts/callers/with-locked-user.ts'
import { endSessions } from '../../accounts/lifecycle/end-sessions.sql.ts'
import { requireLiveSession } from '../../accounts/sessions/session-errors.ts'
import { type SignOutScope, signOutScopes } from '../../accounts/sessions/session-info.ts'
import { sessionLimits } from '../../accounts/sessions/session-limits.ts'
import { subjectNotFound } from '../../accounts/users/user-errors.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { readSubject, requireOwnToken } from '../../credentials/access-tokens/token-subject.ts'
import {
  hasAudience,
  requireAudience,
} from '../../credentials/access-tokens/verify-access-token.ts'
import type { EndedSessions } from '../../platform/config/sections/hooks.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer } from '../../platform/http/answer.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import { implementSeparately } from '../http/implement.ts'
import { deleteSessionsEndpoint, signOutEndpoint } from './sign-out.endpoint.ts'

export const signOutRoutes = [
  implementSeparately(signOutEndpoint, {
    handle:
      () =>
      async ({ ctx, event, claims }) => {
        await signOut(ctx, claims, readQuery(event, 'scope'))
        return new Answer(204)
      },
    run: ({ ctx, claims, input }) => signOut(ctx, claims, input.scope),
  }),
  // Without a default: a request that lost its query would end the caller's own session, too.
  implementSeparately(deleteSessionsEndpoint, {
    handle:
      () =>
      async ({ ctx, event, claims }) => {
        const scope = readQuery(event, 'scope')
        if (scope === undefined) throw validationFailed('scope: is required')
        await signOut(ctx, claims, scope)
        return new Answer(204)
      },
  }),
] as const

/**
 * Ends the caller's sessions: all of them (`global`, the default), this one (`local`) or all but
 * this one (`others`). A token without a session ends all.
 *
 * One statement checks the token and deletes the sessions.
 *
 * @throws AuthError `bad_jwt`, `user_not_found`, `session_not_found`, `session_expired`,
 *   `user_banned`, `insufficient_scope` (403), `validation_failed` for another scope.
 */
async function signOut(
  ctx: AuthContext,
  claims: AccessTokenClaims,
  scope = 'global',
): Promise<void> {
  const { userId, sessionId } = readSubject(claims)
  if (!isScope(scope)) throw validationFailed(`scope: has to be one of ${signOutScopes.join(', ')}`)
  // An OAuth client ends its own session only.
  requireOwnToken(claims, { acceptsClients: scope === 'local' })

  const act = {
    audit: { action: 'logout', actorId: userId },
    events: { userId, events: [event('session.ended', endedBy(sessionId, scope))] },
  } as const
  const caller = await performAct(
    ctx,
    act,
    (rows) =>
      seeingChanges(ctx, userId, (sql) =>
        endSessions(sql, {
          userId,
          sessionId,
          scope,
          limits: sessionLimits(ctx.config.sessions, ctx.clock.now()),
          audiences: hasAudience(claims, ctx.config.jwt.audience)
            ? null
            : storableAudiences(claims),
          ...rows,
        }),
      ),
    (found) => found?.hasEnded === true,
  )
  if (!caller || caller.ending === 'deleted') throw subjectNotFound()
  requireAudience(claims, ctx.config.jwt.audience, caller.audience)
  requireLiveSession(caller.ending)
}

const endedBy = (sessionId: string | null, scope: SignOutScope): EndedSessions =>
  sessionId === null || scope === 'global'
    ? { scope: 'global', session_id: null, reason: 'sign_out' }
    : { scope, session_id: sessionId, reason: 'sign_out' }

/**
 * Returns the audiences that can be stored. Tokens of another service under our key may contain any
 * text.
 */
const storableAudiences = ({ aud = [] }: AccessTokenClaims): string[] =>
  [aud].flat().filter((one) => typeof one === 'string' && isStorable(one))

const isScope = (text: string): text is SignOutScope =>
  signOutScopes.some((scope) => scope === text)
