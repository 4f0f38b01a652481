import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableName } from './tables.ts'

/** What instances of any Latchkey on one database listen to. */
export const changeChannel = 'latchkey'

const notify = statement<{ channel: string; payload: string }>(
  'announce_change',
  (_, $) => `select pg_notify(${$.channel}, ${$.payload})`,
)

/**
 * Tells all instances that a table was changed, once the running transaction commits. They look at it
 * every now and then anyway; this is for speed.
 */
export async function announceChange(sql: Queryable, table: TableName): Promise<void> {
  await sql.query(notify, { channel: changeChannel, payload: sql.table(table) })
}
