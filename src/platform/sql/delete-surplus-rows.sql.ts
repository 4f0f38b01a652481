import type { TableFragments, Tables } from './tables.ts'

interface Surplus {
  /** A condition on the rows of one owner. */
  owner: string
  /** How many rows the owner has at most. */
  most: number
  /** An expression for the number of rows that the statement inserts. Default: one. */
  inserted?: string
}

/**
 * A deletion of the oldest rows of an owner beyond a ceiling, for the statement that inserts others. Of several
 * statements at one moment each counts the rows from before it: the next one deletes what they were too many.
 */
export const deleteSurplusRows = (
  sql: TableFragments,
  table: keyof Tables,
  { owner, most, inserted = '1' }: Surplus,
): string => `
  delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where ${owner}
      order by created_at desc, id offset greatest(${most} - ${inserted}, 0))
    for update skip locked)`
