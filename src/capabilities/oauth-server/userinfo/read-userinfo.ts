import type { AuthContext } from '../../../accounts/auth-context.ts'
import { findCaller } from '../../../accounts/sessions/find-session.sql.ts'
import { remainingScopes } from '../../../accounts/sessions/session.ts'
import { requireLiveSession } from '../../../accounts/sessions/session-errors.ts'
import { sessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { type UserRow, userExpression } from '../../../accounts/users/user-row.ts'
import { badJwt } from '../../../credentials/access-tokens/access-token-errors.ts'
import { isForResource } from '../../../credentials/access-tokens/claims.ts'
import { readSubject } from '../../../credentials/access-tokens/token-subject.ts'
import {
  requireAudience,
  verifyAccessToken,
} from '../../../credentials/access-tokens/verify-access-token.ts'
import { claimsAbout } from '../token/id-token.ts'

/** Verifies the proof of the key that a token is bound to. Returns the thumbprint of the key. */
type ProveKey = (boundTo: string | null) => Promise<string | null>

/**
 * Returns the claims about the user of an access token, with one statement. A token of the user's
 * own session names the user only. One for a resource is for that resource alone, also after an
 * exchange.
 *
 * @throws AuthError as `requireCaller` does.
 * @see RFC 8707 §3, RFC 9068 §4
 */
export async function readUserinfo(
  ctx: AuthContext,
  token: string,
  proveKey: ProveKey,
): Promise<Record<string, unknown>> {
  const { keys, clock, config } = ctx
  const now = clock.now()
  const claims = await verifyAccessToken(keys, token, { now, issuer: config.jwt.issuer })
  const boundTo = Object(claims['cnf']).jkt ?? null
  if (boundTo !== (await proveKey(boundTo))) throw badJwt('token is bound to another key')
  const { userId, sessionId } = readSubject(claims)
  const limits = sessionLimits(config.sessions, now)
  const found = await findCaller<UserRow>(ctx.sql, userExpression, { userId, sessionId, limits })
  if (!found) throw badJwt('token has an unknown subject')
  const { user, session } = found
  // A resource is another party, which received the token to identify the user by the id only.
  if (isForResource(claims)) throw badJwt('token is for a resource')
  // An ID token is for the client.
  requireAudience(claims, config.jwt.audience, user.audience)
  requireLiveSession(found.ending)
  if (session === null || session.oauth_client_id === null) return { sub: user.id }
  const scopes = remainingScopes(claims.scope, session.scopes)
  const described = claimsAbout(config, user, scopes)
  const { email_verified, phone_number, phone_number_verified, ...rest } = described
  return {
    sub: user.id,
    ...rest,
    ...(email_verified === true && { email_verified }),
    ...(phone_number !== undefined && { phone: phone_number, phone_number }),
    ...(phone_number_verified === true && { phone_verified: true, phone_number_verified }),
    ...(scopes.includes('profile') && { user_metadata: user.user_metadata }),
  }
}
