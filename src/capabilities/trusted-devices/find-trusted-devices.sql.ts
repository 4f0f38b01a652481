import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TrustedDevice } from './trusted-device.ts'
import { type TrustedDeviceRow, toTrustedDevice } from './trusted-device-row.ts'

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
