import { lowerFromSubstitute } from '../../accounts/sessions/session-assurance.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

export interface RemovalOfDevice {
  userId: string
  deviceId: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const remove = statement<RemovalOfDevice>(
  'delete_trusted_device',
  (sql, $) => `
    with u as materialized (
      select id from ${sql.table('users')} where id = ${$.userId} for no key update
    ), d as (
      delete from ${sql.table('trusted_devices')} d using u
      where d.id = ${$.deviceId} and d.user_id = u.id returning d.id
    ), lowered as (
      ${lowerFromSubstitute(sql, $.userId)} and exists (select from d)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from d)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from d)
    )
    select id from d`,
)

/**
 * Ends the trust in a device of this user. Sessions that the user raised with a device return to
 * `aal1`.
 *
 * @returns whether the user had this device.
 */
export async function deleteTrustedDevice(
  sql: Queryable,
  removal: RemovalOfDevice,
): Promise<boolean> {
  const removed = await sql.query(remove, removal)
  return removed.length > 0
}
