import type { ExternalTokens } from '../../config/sections/provider-definition.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import { openTokens, verifyCodeVerifier } from '../../one-time-tokens/authorization-code.ts'
import { findAuthorizationCode } from '../../one-time-tokens/find-authorization-code.sql.ts'
import {
  badCodeVerifier,
  flowStateExpired,
  flowStateNotFound,
} from '../../one-time-tokens/one-time-token-errors.ts'
import { openSessionByCode } from '../../sessions/open-session-by-code.sql.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { eventRows, sessionsOpened, tellEvents } from '../../steps/event-rows.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { storedUserColumns, toStoredUser } from '../../users/find-user.sql.ts'
import { isBanned } from '../../users/user.ts'
import { userBanned } from '../../users/user-errors.ts'
import type { ExchangeCodeInput } from './token.endpoint.ts'

/**
 * Exchanges the code that a link of a PKCE request ended in for a session.
 *
 * @throws AuthError `validation_failed` (400), `flow_state_not_found` (404), `flow_state_expired`
 *   (422), `bad_code_verifier` (400), `user_banned` (403).
 * @see RFC 7636 §4.5
 */
export async function exchangeCode(
  ctx: AuthContext,
  { authCode, codeVerifier }: Unread<ExchangeCodeInput>,
): Promise<SignedIn & { providerTokens: ExternalTokens | null }> {
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
    events: [{ action: 'login', actorId: user.id, traits: { provider_type: code.method } }],
  })
  const messageRows = eventRows(ctx, user.id, sessionsOpened(signIn.rows.sessionRows))
  const spending = { codeId: code.id, userId: user.id, messageRows, now }
  // Another request was faster with the same code.
  if (!(await openSessionByCode(ctx.sql, { ...spending, ...signIn.rows })))
    throw flowStateNotFound()
  tellEvents(ctx)
  const signedIn = await signIn.complete({ ...user, lastSignInAt: now })
  return { ...signedIn, providerTokens: openTokens(ctx.roots, authCode, code) }
}
