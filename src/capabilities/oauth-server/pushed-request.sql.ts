import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** A pushed request that a browser submits. */
export interface OpenedPush {
  id: string
  request: AuthorizationRequest
}

const open = statement<
  { secretHash: string; clientId: string; now: string; expiresAt: string },
  OpenedPush
>(
  'open_pushed_oauth_request',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set status = 'pending', secret_hash = null,
      created_at = ${$.now}, expires_at = ${$.expiresAt}
    where secret_hash = ${$.secretHash} and client_id = ${$.clientId} and status = 'pushed'
      and expires_at > ${$.now}
    returning id, request`,
)

/** Consumes a request URI: only one of several requests with it succeeds. @see RFC 9126 §7.3 */
export async function openPushedRequest(
  sql: Queryable,
  push: { secretHash: string; clientId: string; now: Date; expiresAt: Date },
): Promise<OpenedPush | null> {
  const [opened] = await sql.query(open, {
    ...push,
    now: push.now.toISOString(),
    expiresAt: push.expiresAt.toISOString(),
  })
  return opened ?? null
}
