import { sharedInstant } from './clock-set-back.ts'
import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableName } from './tables.ts'

export interface Expired {
  expiredSince: Date
  /** The instant that replaces the database's clock. Default: that clock. */
  databaseNow?: Date | null
  limit: number
}

/** Deletes expired rows of a table. Returns how many. */
export type SweepExpired = (sql: Queryable, expired: Expired) => Promise<number>

/**
 * Returns a function that deletes the expired rows of a table, a few at a time, and returns their
 * number. Rows that another instance has locked are skipped. Call it once for a table, when its
 * module is loaded.
 *
 * Rows that have not expired by the clock of the database remain: other instances may still need
 * them to reject a proof that was used.
 */
export function sweepExpiredRows(table: TableName, key = 'id'): SweepExpired {
  const deleteExpired = statement<{
    expiredSince: string
    databaseNow: string | null
    limit: number
  }>(
    `sweep_${table}`,
    (sql, $) => `delete from ${sql.table(table)} where ${key} = any(array(
      select ${key} from ${sql.table(table)}
      where expires_at < least(${$.expiredSince}::timestamptz, ${sharedInstant($.databaseNow)})
      limit ${$.limit} for update skip locked)) returning 1`,
  )
  return async (sql, { expiredSince, databaseNow = null, limit }) => {
    const deleted = await sql.query(deleteExpired, {
      expiredSince: expiredSince.toISOString(),
      databaseNow: databaseNow?.toISOString() ?? null,
      limit,
    })
    return deleted.length
  }
}
