import { performAct } from '../../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Admin } from '../../../accounts/callers/authenticate-admin.ts'
import type { Caller } from '../../../accounts/callers/authenticate-caller.ts'
import { withLockedCaller, withLockedUser } from '../../../accounts/callers/with-locked-user.ts'
import { sessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { requireUserById } from '../../../endpoints/admin-users/find-user.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { requireClientId } from '../clients/manage-clients.ts'
import { consentNotFound, requireOauthServer } from '../protocol/oauth-errors.ts'
import { findGrants, revokeGrant } from './grants.sql.ts'
import type { OauthGrant } from './oauth-grant.ts'

export type { OauthGrant }

/**
 * Returns the access that the caller granted to clients, the newest first.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export async function listOwnGrants(ctx: AuthContext, { user }: Caller): Promise<OauthGrant[]> {
  requireOauthServer(ctx)
  return grantsOf(ctx, user.id)
}

/**
 * Returns the access that a user granted to clients, the newest first.
 *
 * @throws AuthError `feature_disabled`, `user_not_found` (404).
 */
export async function listGrants(ctx: AuthContext, userId: string): Promise<OauthGrant[]> {
  requireOauthServer(ctx)
  return grantsOf(ctx, (await requireUserById(ctx, userId)).id)
}

async function grantsOf(ctx: AuthContext, userId: string): Promise<OauthGrant[]> {
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const found = await findGrants(ctx.sql, userId, limits)
  return found.map(({ consent, scopes, client }) => {
    const {
      id: clientId,
      client_name: clientName,
      client_uri: clientUri,
      logo_uri: logoUri,
    } = client
    return {
      client: { clientId, clientName, clientUri, logoUri },
      scopes: [...new Set([...consent.scopes, ...scopes])],
      grantedAt: new Date(consent.granted_at),
    }
  })
}

/**
 * Ends the access of a client: the consent, its codes and its sessions.
 *
 * @throws AuthError `feature_disabled`, `oauth_consent_not_found` (404), `validation_failed` (400)
 *   for an id that is none.
 */
export async function revokeOwnGrant(
  ctx: AuthContext,
  caller: Caller,
  given: string | undefined,
): Promise<void> {
  requireOauthServer(ctx)
  if (!given) throw validationFailed('client_id: client_id query parameter is required')
  const clientId = requireClientId(given)
  const act = {
    audit: { action: 'token_revoked', actorId: caller.user.id, traits: { client_id: clientId } },
    mayReportSessions: true,
  } as const
  // A concurrent exchange of a code holds the lock, and its session is deleted, too.
  const revoked = await retryRolledBack(() =>
    withLockedCaller(ctx, caller, (tx, { user }) =>
      performAct(tx, act, (rows) => revokeGrant(tx.sql, { userId: user.id, clientId }, rows)),
    ),
  )
  if (!revoked) throw consentNotFound()
}

/**
 * Ends the access that a user granted to a client, for an operator.
 *
 * @throws AuthError `feature_disabled`, `oauth_consent_not_found`, `user_not_found` (404),
 *   `validation_failed` (400) for an invalid client id.
 */
export async function endGrant(
  ctx: AuthContext,
  { role: actorRole }: Admin,
  { userId, clientId: given }: { userId: string; clientId: string },
): Promise<void> {
  requireOauthServer(ctx)
  const clientId = requireClientId(given)
  const { id } = await requireUserById(ctx, userId)
  const act = {
    audit: {
      action: 'token_revoked',
      actorRole,
      userId: id,
      traits: { client_id: clientId },
    },
    mayReportSessions: true,
  } as const
  const revoked = await retryRolledBack(() =>
    withLockedUser(ctx, id, (tx) =>
      performAct(tx, act, (rows) => revokeGrant(tx.sql, { userId: id, clientId }, rows)),
    ),
  )
  if (!revoked) throw consentNotFound()
}
