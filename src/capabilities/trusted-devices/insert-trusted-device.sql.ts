import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

/**
 * The maximum number of trusted devices per user. A further device replaces the least recently used
 * one.
 */
export const maxDevices = 10

interface InsertionOfDevice {
  /** Rows from `rowsOf`, as the audit entries are. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type InsertParameters = InsertionOfDevice & {
  deviceRows: Rows<'trusted_devices'>
  userId: string
  kept: number
}

const insert = statement<InsertParameters>(
  'insert_trusted_device',
  (sql, $) => `
    with surplus as (
      delete from ${sql.table('trusted_devices')} where id in (
        select id from ${sql.table('trusted_devices')} where user_id = ${$.userId}
        order by last_used_at desc, id offset ${$.kept}::int)
    ), d as (
      ${sql.insertRows('trusted_devices', $.deviceRows)}
    ), u as (
      update ${sql.table('users')} set version = version + 1 where id = ${$.userId}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    )
    select 1`,
)

/**
 * Stores a trusted device. The caller has locked the user, so that concurrent requests do not
 * exceed the maximum.
 *
 * The version of the user increases. A concurrent password change, which ends the trust in all
 * devices, therefore includes the new one.
 */
export async function insertTrustedDevice(
  sql: Queryable,
  row: NewRow<'trusted_devices'>,
  insertion: InsertionOfDevice,
): Promise<void> {
  await sql.query(insert, {
    ...insertion,
    deviceRows: rowsOf('trusted_devices', row),
    userId: row.user_id,
    kept: maxDevices - 1,
  })
}
