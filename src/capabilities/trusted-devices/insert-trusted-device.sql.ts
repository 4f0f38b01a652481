import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

/** Most trusted devices of one user; one more takes the place of the one that was not used for longest. */
export const maxDevices = 10

interface InsertionOfDevice {
  /** As `rowsOf` makes them, as the audit entries are. */
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
 * Stores a device that is trusted from now on. The user has to be locked by then, so that many at once are not more than
 * there may be.
 *
 * The version of the user is counted up, so that whoever is about to change the password, and voids all devices with it,
 * sees that there is one more.
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
