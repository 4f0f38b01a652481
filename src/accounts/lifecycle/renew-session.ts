import type { IssuedClaims } from '../../credentials/access-tokens/issue-access-token.ts'
import { errorTypeOf } from '../../platform/observability/telemetry.ts'
import { event } from '../acts/event-rows.ts'
import { type Act, performActs } from '../acts/record-act.ts'
import type { AuthContext } from '../auth-context.ts'
import { findForRefresh } from '../sessions/find-session.sql.ts'
import { decodeRefreshToken, importedTokenHashes, isRowToken } from '../sessions/refresh-token.ts'
import {
  counterOf,
  type PresentedToken,
  type RotatedSession,
  type Rotation,
} from '../sessions/rotate.sql.ts'
import { remainingScopes, type Session, toSession } from '../sessions/session.ts'
import type { SessionEnding } from '../sessions/session-ending.sql.ts'
import {
  clientRequired,
  malformedRefreshToken,
  refreshTokenAlreadyUsed,
  refreshTokenNotFound,
  refreshTokenNotIssued,
  sessionExpired,
  userBannedAtRefresh,
} from '../sessions/session-errors.ts'
import type { SessionTokens } from '../sessions/session-info.ts'
import { type SessionLimits, sessionLimits } from '../sessions/session-limits.ts'
import { claimsOf, issueSessionToken, issueTokens } from '../sign-in/issue-session.ts'
import { tokenUser, type UserRow, userExpression } from '../users/user-row.ts'

/** A session with new tokens, and its user as stored. */
export interface RenewedSession {
  user: UserRow
  session: SessionTokens
  /** The scopes of the access token, separated by spaces; null for a session of the user's own. */
  scopes: string | null
}

/** The owner of a renewed session, and the statement that renews it. */
export interface Renewal {
  /** The OAuth client; null for a session of the user's own. */
  clientId: string | null
  rotate(rotation: Rotation): Promise<RotatedSession<UserRow> | null>
  /** Rejects a session that the statement found, and did not renew, for a reason of its own. */
  requireTerms?(rotated: RotatedSession<UserRow>): void
  /** Returns the session that the tokens are for. Default: the renewed one. */
  sessionFor?(session: Session): Session
}

/**
 * Renews a session by the statement of its owner.
 *
 * The newest token of a session advances it. For a short time, its predecessor returns the same
 * successor again, so that a client that lost a response, or whose tabs race, is not signed out. An
 * older token, or its successor, has been stolen: the session is revoked. A token of the service
 * that a session was imported from is treated as the session's first token, by the same rules.
 *
 * @throws AuthError the errors of the claims hook, `validation_failed` for a malformed token,
 *   `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`, and
 *   `invalid_credentials` with `invalid_client` for the session of another owner, all 400.
 * @see RFC 9700 §4.14.2
 */
export async function renewSession(
  ctx: AuthContext,
  text: string,
  renewal: Renewal,
): Promise<RenewedSession> {
  try {
    const renewed = await renew(ctx, text, renewal)
    ctx.telemetry?.count('auth.refreshes', succeeded)
    return renewed
  } catch (error) {
    ctx.telemetry?.count('auth.refreshes', { 'auth.result': errorTypeOf(error) })
    throw error
  }
}

async function renew(
  ctx: AuthContext,
  text: string,
  { clientId, rotate, requireTerms, sessionFor = (session) => session }: Renewal,
): Promise<RenewedSession> {
  const token = readToken(ctx, text)
  const { rotationEnabled, reuseIntervalSeconds } = ctx.config.security.refreshTokens
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const prepared = await claimsAhead(ctx, token, { limits, clientId, sessionFor })
  const rotated = await performActs(
    ctx,
    { refresh: { audit: { action: 'token_refreshed' } }, reuse: reuseOf(token) },
    ({ refresh, reuse }) =>
      rotate({
        token,
        databaseNow: ctx.databaseNow(),
        reuseIntervalSeconds: withOutages(ctx, reuseIntervalSeconds),
        revokesOnReuse: rotationEnabled,
        limits,
        ip: ctx.request.ip,
        userAgent: ctx.request.userAgent,
        auditRows: refresh.auditRows,
        messageRows: rotationEnabled && ctx.config.hooks.events.enabled ? reuse.messageRows : null,
      }),
    (result) => ({
      refresh: result?.accepted === true && { actorId: result.user.id },
      reuse: result?.accepted === false && result.revoked,
    }),
  )
  if (!rotated) throw refreshTokenNotFound()
  if (!rotated.accepted) {
    if (rotated.revoked) ctx.telemetry?.count('auth.refresh_token_reuses', {})
    if (rotated.session.oauth_client_id !== clientId) {
      throw clientId === null ? clientRequired() : refreshTokenNotFound()
    }
    requireTerms?.(rotated)
    throw reasonForRejection(rotated, token)
  }
  const { user } = rotated
  const renewed = sessionFor(toSession(rotated.session))
  const claims = prepared
    ? withinGrant(prepared, renewed)
    : await claimsOf(ctx, tokenUser(user), renewed, refreshMethod)
  const session = await issueTokens(ctx, claims, {
    sessionId: rotated.session.id,
    counter: rotated.session.refresh_token_counter,
    ...('key' in token && { key: token.key }),
  })
  return { user, session, scopes: renewed.grant?.scope ?? null }
}

/**
 * Returns the interval, extended by the time in which the database was unavailable. A client whose
 * response was lost at the start of an outage can repeat the request only after its end. An interval
 * of zero permits no reuse.
 */
const withOutages = ({ database }: Pick<AuthContext, 'database'>, intervalSeconds: number) =>
  intervalSeconds === 0 ? 0 : intervalSeconds + database.lostMs() / 1000

const succeeded = { 'auth.result': 'ok' } as const

const refreshMethod = 'token_refresh'

/**
 * Returns the claims of the next token from the application's hook, where there is one. The hook is
 * called before the renewal, so that a failing hook does not consume the refresh token, whose next
 * use would end the session. An invalid token is left to the rotation, which detects a theft.
 */
async function claimsAhead(
  ctx: AuthContext,
  token: PresentedToken,
  {
    limits,
    clientId,
    sessionFor,
  }: Required<Pick<Renewal, 'clientId' | 'sessionFor'>> & { limits: SessionLimits },
): Promise<IssuedClaims | null> {
  if (!ctx.config.hooks.customAccessToken.enabled) return null
  const found = await findForRefresh(ctx.sql, userExpression, token, limits)
  if (!found || counterOf(token) < found.session.refresh_token_counter - 1) return null
  if (found.session.oauth_client_id !== clientId) return null
  const session = sessionFor(toSession(found.session))
  const claims = await claimsOf(ctx, tokenUser(found.user), session, refreshMethod)
  // A token that is too large is rejected here, too.
  await issueSessionToken(ctx, claims)
  return claims
}

/** Returns claims without the scopes that were withdrawn while the hook computed them. */
const withinGrant = (claims: IssuedClaims, { grant }: Session): IssuedClaims =>
  grant ? { ...claims, scope: remainingScopes(claims.scope, grant.scope).join(' ') } : claims

function readToken({ roots }: AuthContext, text: string): PresentedToken {
  const imported = () => ({ hashes: importedTokenHashes(roots, text) })
  if (isRowToken(text)) return imported()
  const token = decodeRefreshToken(roots, text)
  if (token === 'malformed') throw malformedRefreshToken()
  // The other service signs tokens of the same form with its own keys.
  return token === 'forged' ? imported() : token
}

/**
 * The reuse of an older token. The rotation determines the user, and of an imported token the
 * session.
 */
function reuseOf(token: PresentedToken): Act {
  const session_id = 'hashes' in token ? null : token.sessionId
  const ended = event('session.ended', { scope: 'local', session_id, reason: 'token_reused' })
  return { audit: [], events: { userId: null, events: [ended] } }
}

function reasonForRejection(
  { session, ending }: RotatedSession<UserRow>,
  token: PresentedToken,
): Error {
  if (ending !== null) return refreshErrors[ending]()
  return counterOf(token) > session.refresh_token_counter
    ? refreshTokenNotIssued()
    : refreshTokenAlreadyUsed()
}

const refreshErrors: Record<SessionEnding, () => Error> = {
  deleted: refreshTokenNotFound,
  banned: userBannedAtRefresh,
  revoked: refreshTokenAlreadyUsed,
  expired: () => sessionExpired('expired'),
  inactive: () => sessionExpired('inactive'),
  weak: () => sessionExpired('weak'),
  superseded: () => sessionExpired('superseded'),
}
