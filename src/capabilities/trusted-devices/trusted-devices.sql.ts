import type { ActRows } from '../../accounts/acts/record-act.ts'
import { lowerFromSubstitute } from '../../accounts/sessions/session-assurance.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'
import type { TrustedDeviceEntity } from './trusted-device.entity.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** A trusted device as PostgreSQL writes it in JSON. */
export type TrustedDeviceRow = RowOf<TrustedDeviceEntity>

const toTrustedDevice = (
  row: Omit<TrustedDeviceRow, 'user_id' | 'secret_hash' | 'previous_hash'>,
): TrustedDevice => ({
  id: row.id,
  userAgent: row.user_agent,
  createdAt: new Date(row.created_at),
  lastUsedAt: new Date(row.last_used_at),
  expiresAt: new Date(row.expires_at),
})

const find = statement<{ userId: string; now: string }, { device: TrustedDeviceRow }>(
  'find_trusted_devices',
  (sql, $) => `
    select json_build_object('id', d.id, 'user_agent', d.user_agent, 'created_at', d.created_at,
      'last_used_at', d.last_used_at, 'expires_at', d.expires_at) as device
    from ${sql.table('trusted_devices')} d
    where d.user_id = ${$.userId} and d.expires_at > ${$.now} order by d.created_at, d.id`,
)

/** Returns the trusted devices of a user, the oldest first. */
export async function findTrustedDevices(
  sql: Queryable,
  { userId, now }: { userId: string; now: Date },
): Promise<TrustedDevice[]> {
  const rows = await sql.query(find, { userId, now: now.toISOString() })
  return rows.map(({ device }) => toTrustedDevice(device))
}

/**
 * The maximum number of trusted devices per user. A further device replaces the least recently used
 * one.
 */
export const maxDevices = 10

type InsertParameters = ActRows & {
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
  insertion: ActRows,
): Promise<void> {
  await sql.query(insert, {
    ...insertion,
    deviceRows: rowsOf('trusted_devices', row),
    userId: row.user_id,
    kept: maxDevices - 1,
  })
}

interface RemovalOfDevice {
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

/**
 * Returns a statement that deletes the trusted devices of users.
 *
 * @param users a common table expression with their ids as `id`.
 */
export const deleteTrustedDevicesOf = (sql: TableFragments, users: string): string =>
  `delete from ${sql.table('trusted_devices')} d using ${users} owner where d.user_id = owner.id`
