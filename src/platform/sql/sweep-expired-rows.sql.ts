import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableName } from './tables.ts'

export interface Expired {
  expiredSince: Date
  limit: number
}

/**
 * What deletes the rows of a table that expired before then, a few at a time, and says how many. Rows that another
 * instance is at are passed over. To be made once for a table, when its module is loaded.
 */
export function sweepExpiredRows(
  table: TableName,
  key = 'id',
): (sql: Queryable, expired: Expired) => Promise<number> {
  const deleteExpired = statement<{ expiredSince: string; limit: number }>(
    `sweep_${table}`,
    (sql, $) => `delete from ${sql.table(table)} where ${key} in (
      select ${key} from ${sql.table(table)} where expires_at < ${$.expiredSince}
      limit ${$.limit} for update skip locked) returning 1`,
  )
  return async (sql, { expiredSince, limit }) => {
    const deleted = await sql.query(deleteExpired, {
      expiredSince: expiredSince.toISOString(),
      limit,
    })
    return deleted.length
  }
}
