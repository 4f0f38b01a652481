import {
  liveSession,
  lowerFromSubstitute,
  raised,
} from '../../accounts/sessions/session-assurance.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

export interface UseOfDevice {
  userId: string
  sessionId: string
  secretHash: string
  /** The hash of the next secret. */
  nextHash: string
  /** The entry of `amr`: `{ method, timestamp }`. */
  proof: object
  now: Date
  /** The audit entries of a use, as rows from `rowsOf`. */
  auditRows: Rows<'audit_entries'>
  /**
   * The audit entries and messages for a device that is removed because a previous secret was used.
   */
  reuseRows: Rows<'audit_entries'>
  messageRows: Rows<'outbox_messages'>
}

/**
 * The session and the device's expiry after a use; otherwise whether the secret was used before,
 * which deleted the device.
 */
export type DeviceUse<Session> =
  | { session: Session; expiresAt: Date }
  | { session: null; wasReused: boolean }

type UseParameters = Omit<UseOfDevice, 'proof' | 'now'> & { proof: string; now: string }

interface Row {
  session: unknown
  expires_at: string | null
  was_reused: boolean
}

const use = statement<UseParameters, { use: Row }>(
  'use_trusted_device',
  (sql, $) => `
    with ${liveSession(sql, $)}, shown as materialized (
      select d.id, d.secret_hash = ${$.secretHash} as is_current
      from ${sql.table('trusted_devices')} d cross join live
      where d.user_id = ${$.userId} and d.expires_at > ${$.now}
        and (d.secret_hash = ${$.secretHash} or d.previous_hash = ${$.secretHash})
      for no key update of d
    ), d as (
      update ${sql.table('trusted_devices')} d set secret_hash = ${$.nextHash},
        previous_hash = ${$.secretHash}, last_used_at = ${$.now}
      from shown where d.id = shown.id and shown.is_current returning d.expires_at
    ), reused as (
      delete from ${sql.table('trusted_devices')} d using shown
      where d.id = shown.id and not shown.is_current returning d.id
    ), s as (
      update ${sql.table('sessions')} s set ${raised($.proof)}
      from d where s.id = ${$.sessionId} returning to_jsonb(s) as session
    ), lowered as (
      ${lowerFromSubstitute(sql, $.userId)} and exists (select from reused)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from d)
    ), r as (
      ${sql.insertRows('audit_entries', $.reuseRows)} where exists (select from reused)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from reused)
    )
    select json_build_object('session', (select session from s), 'expires_at', (select expires_at from d),
      'was_reused', exists (select from reused)) as use`,
)

/**
 * Uses a trusted device in place of a second factor: raises the session and replaces the device's
 * secret. One statement checks and replaces it, so only one of many requests with the same secret
 * succeeds.
 *
 * A secret that was used before is a copy. It deletes the device, and sessions that the user raised
 * with a device return to `aal1`.
 */
export async function useTrustedDevice<Session>(
  sql: Queryable,
  { proof, now, ...used }: UseOfDevice,
): Promise<DeviceUse<Session>> {
  const [row] = await sql.query(use, {
    ...used,
    proof: JSON.stringify(proof),
    now: now.toISOString(),
  })
  if (!row?.use.session || row.use.expires_at === null) {
    return { session: null, wasReused: row?.use.was_reused ?? false }
  }
  return { session: row.use.session as Session, expiresAt: new Date(row.use.expires_at) }
}
