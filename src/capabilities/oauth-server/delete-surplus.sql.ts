import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

/** The values of {@link deleteSurplus}, as a group of parameters. */
export type SurplusValues = {
  /** The number of rows that remain. */
  kept: number
  deletesSurplus: boolean
}

interface Surplus {
  table: 'oauth_authorizations' | 'oauth_clients'
  /** The rows that are limited, as a condition. */
  where: string
  /** The column by which the oldest rows are found. */
  age: string
}

/**
 * Returns a statement that deletes the oldest rows beyond a number, or none. Rows that another
 * request deletes or changes at the same time are skipped, so that requests do not wait for each
 * other. The condition is checked again under the lock. The remaining rows are not locked: `for
 * update` would also lock the rows of an `offset`.
 */
export const deleteSurplus = (
  sql: TableFragments,
  { table, where, age }: Surplus,
  $: Placeholders<SurplusValues>,
): string => `delete from ${sql.table(table)} where id = any(array(
        select id from ${sql.table(table)} where ${where} and id = any(array(
          select id from ${sql.table(table)}
          where ${$.deletesSurplus}::boolean and ${where}
          order by ${age} desc, id offset ${$.kept}::int limit 500))
        for update skip locked))`

/**
 * Returns whether a request deletes surplus rows: one in 64, by random digits in hexadecimal. To
 * find them takes as long as many insertions, so that many rows would delay all requests.
 */
export const deletesSurplus = (random: string): boolean =>
  Number.parseInt(random.slice(0, 2), 16) < 4
