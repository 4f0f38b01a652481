import { sharedInstant } from './clock-set-back.ts'
import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableFragments, TableName, Tables } from './tables.ts'

interface Surplus {
  /** A condition on the rows of one owner. */
  owner: string
  /** The maximum number of rows of the owner. */
  most: number
  /** An expression for the number of rows that the statement inserts. Default: one. */
  inserted?: string
  /**
   * Expressions that group the rows, and the rows of a group. The oldest rows of the largest groups
   * are deleted first, so that one group does not remove the rows of others. Default: one group.
   */
  groups?: { outer: string; inner: string }
}

/**
 * Returns a deletion of an owner's oldest rows beyond a limit, for the statement that inserts
 * others. Concurrent statements do not count each other's rows: the next one deletes the surplus.
 *
 * Rows are selected into an array: PostgreSQL may repeat the selection of an `in (select …)` for
 * each row of the table, and a statement planned while the table was empty keeps that plan.
 */
export const deleteSurplusRows = (
  sql: TableFragments,
  table: keyof Tables,
  { owner, most, inserted = '1', groups }: Surplus,
): string => `
  delete from ${sql.table(table)} where id = any(array(
    select id from ${sql.table(table)} where id = any(array(
      ${groups ? inGroups(sql, table, owner, groups) : inOrder(sql, table, owner)}
      offset greatest(${most} - ${inserted}, 0)))
    for update skip locked))`

/** Returns a query for the rows of an owner, the newest first. */
const inOrder = (sql: TableFragments, table: keyof Tables, owner: string): string =>
  `select id from ${sql.table(table)} where ${owner} order by created_at desc, id`

/** Returns a query for the rows of an owner: the newest of each group, then the second ones, … */
const inGroups = (
  sql: TableFragments,
  table: keyof Tables,
  owner: string,
  { outer, inner }: NonNullable<Surplus['groups']>,
): string => `
      select id from (
        select id, created_at,
          row_number() over (partition by outer_group order by own_place, created_at desc, id) as place
        from (
          select id, created_at, ${outer} as outer_group,
            row_number() over (partition by ${inner} order by created_at desc, id) as own_place
          from ${sql.table(table)} where ${owner}
        ) placed
      ) ranked order by place, created_at desc, id`

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
