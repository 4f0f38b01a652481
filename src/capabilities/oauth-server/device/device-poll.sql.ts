import type { Queryable } from '../../../platform/sql/queryable.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { AuthorizationStatus } from '../authorize/authorization-request.ts'

/** The longest interval between requests of a device, in seconds. */
const maxInterval = 60

/** The request of a device, as the device requests its tokens. */
export interface PolledRequest {
  status: AuthorizationStatus
  is_expired: boolean
  /** Whether the interval since the last request has not passed. */
  is_early: boolean
}

const poll = statement<{ codeHash: string; clientId: string; now: string }, PolledRequest>(
  'poll_oauth_device_request',
  (sql, $) => `
    with r as materialized (
      select *, coalesce(polled_at
          + make_interval(secs => (request ->> 'interval')::float8) > ${$.now}::timestamptz, false) as is_early
      from ${sql.table('oauth_authorizations')}
      where secret_hash = ${$.codeHash} and client_id = ${$.clientId} and request ? 'interval'
      for update
    ), noted as (
      update ${sql.table('oauth_authorizations')} d set polled_at = ${$.now},
        request = case when r.is_early then jsonb_set(d.request, '{interval}',
          to_jsonb(least(${maxInterval}, (r.request ->> 'interval')::int + 5))) else d.request end
      from r where d.id = r.id and r.status = 'pending'
    )
    select status, is_early, expires_at <= ${$.now} as is_expired from r`,
)

/**
 * Notes the request of a device that waits for its user. One that is early makes the interval
 * longer.
 *
 * @returns null for an unknown code, and one of another client.
 * @see RFC 8628 §3.5
 */
export async function pollDeviceRequest(
  sql: Queryable,
  { now, ...device }: { codeHash: string; clientId: string; now: Date },
): Promise<PolledRequest | null> {
  const [row] = await sql.query(poll, { ...device, now: now.toISOString() })
  return row ?? null
}
