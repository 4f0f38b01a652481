import type { TableFragments, Tables } from './tables.ts'

interface Surplus {
  /** A condition on the rows of one owner. */
  owner: string
  /** The maximum number of rows of the owner. */
  most: number
  /** An expression for the number of rows that the statement inserts. Default: one. */
  inserted?: string
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
  { owner, most, inserted = '1' }: Surplus,
): string => `
  delete from ${sql.table(table)} where id = any(array(
    select id from ${sql.table(table)} where id = any(array(
      select id from ${sql.table(table)} where ${owner}
      order by created_at desc, id offset greatest(${most} - ${inserted}, 0)))
    for update skip locked))`
