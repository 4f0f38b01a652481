import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

type Parameters = { authorizationId: string; now: string }

const reject = statement<Parameters, { request: AuthorizationRequest }>(
  'reject_silent_oauth_authorization',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set status = 'denied', user_code_hash = null
    where id = ${$.authorizationId} and status = 'pending' and expires_at > ${$.now}
      and request -> 'prompt' ? 'none'
    returning request`,
)

/**
 * Rejects a pending request that permits no page.
 *
 * @returns its parameters; null for any other request.
 */
export async function rejectSilentAuthorization(
  sql: Queryable,
  { authorizationId, now }: { authorizationId: string; now: Date },
): Promise<AuthorizationRequest | null> {
  const [row] = await sql.query(reject, { authorizationId, now: now.toISOString() })
  return row?.request ?? null
}

const release = statement<Parameters & { userId: string }, { id: string }>(
  'release_oauth_authorization',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set user_id = null
    where id = ${$.authorizationId} and user_id = ${$.userId}::uuid and status = 'pending'
      and expires_at > ${$.now}
    returning id`,
)

/** Releases a pending request that a user opened, so that another user can open it. */
export async function releaseOpenedAuthorization(
  sql: Queryable,
  { now, ...request }: { authorizationId: string; userId: string; now: Date },
): Promise<void> {
  await sql.query(release, { ...request, now: now.toISOString() })
}
