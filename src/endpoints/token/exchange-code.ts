import { sessionsOpened } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  openTokens,
  verifyCodeVerifier,
} from '../../accounts/one-time-tokens/authorization-code.ts'
import {
  badCodeVerifier,
  flowStateExpired,
  flowStateNotFound,
} from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import { findAuthorizationCode } from '../../accounts/one-time-tokens/one-time-tokens.sql.ts'
import { openSessionByCode } from '../../accounts/sessions/open-session.sql.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { storedUserColumns, toStoredUser } from '../../accounts/users/find-user.sql.ts'
import { hasVerifiedFactor, isBanned } from '../../accounts/users/user.ts'
import { userBanned } from '../../accounts/users/user-errors.ts'
import type { ExternalTokens } from '../../platform/config/sections/provider-definition.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { ExchangeCodeInput } from './token.endpoint.ts'

/**
 * Exchanges the code of a followed PKCE link for a session.
 *
 * @throws AuthError `validation_failed` (400), `flow_state_not_found` (404), `flow_state_expired`
 *   (422), `bad_code_verifier` (400), `user_banned` (403).
 * @see RFC 7636 §4.5
 */
export async function exchangeCode(
  ctx: AuthContext,
  { authCode, codeVerifier }: Unvalidated<ExchangeCodeInput>,
): Promise<IssuedSession & { providerTokens: ExternalTokens | null }> {
  if (!authCode || !codeVerifier) {
    throw validationFailed(
      `${authCode ? 'code_verifier' : 'auth_code'}: both auth code and code verifier should be non-empty`,
    )
  }
  const now = ctx.clock.now()
  const found = await findAuthorizationCode(ctx.sql, storedUserColumns, authCode)
  if (!found) throw flowStateNotFound()
  const { code } = found
  if (new Date(code.expires_at) <= now) throw flowStateExpired()
  if (!verifyCodeVerifier(code, codeVerifier)) throw badCodeVerifier()
  const { user } = toStoredUser(found)
  if (isBanned(user, now)) throw userBanned()

  const signIn = prepareSession(ctx, {
    userId: user.id,
    method: code.method,
    provedAt: code.proved_at === null ? null : new Date(code.proved_at),
  })
  const act = {
    audit: { action: 'login', actorId: user.id, traits: { provider_type: code.method } },
    events: { userId: user.id, events: sessionsOpened(signIn.rows.sessionRows) },
  } as const
  const opening = { codeId: code.id, userId: user.id, now, ...signIn.rows }
  const opened = await performAct(ctx, act, (rows) =>
    openSessionByCode(ctx.sql, { ...opening, ...rows }),
  )
  // A concurrent request consumed the same code.
  if (!opened) throw flowStateNotFound()
  const signedIn = await signIn.complete({ ...user, lastSignInAt: now })
  // As in `getProviderToken`: a user with a factor must prove it first.
  const providerTokens = hasVerifiedFactor(user) ? null : openTokens(ctx.roots, authCode, code)
  return { ...signedIn, providerTokens }
}
