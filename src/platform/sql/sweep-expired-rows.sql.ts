import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableName } from './tables.ts'

export interface Expired {
  expiredSince: Date
  limit: number
}

/** Deletes expired rows of a table. Returns how many. */
export type SweepExpired = (sql: Queryable, expired: Expired) => Promise<number>

/**
 * Returns a function that deletes the expired rows of a table, a few at a time, and returns their
 * number. Rows that another instance has locked are skipped. Call it once for a table, when its
 * module is loaded.
 */
export function sweepExpiredRows(table: TableName, key = 'id'): SweepExpired {
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
