import type { Queryable } from './queryable.ts'
import type { TableName } from './tables.ts'

/** What instances of any Latchkey on one database listen to. */
export const changeChannel = 'latchkey'

/**
 * Tells all instances that a table was changed, once the running transaction commits. They look at it
 * every now and then anyway; this is for speed.
 */
export async function announceChange(sql: Queryable, table: TableName): Promise<void> {
  await sql.query({
    name: 'announce_change',
    text: () => 'select pg_notify($1, $2)',
    values: [changeChannel, sql.table(table)],
  })
}
