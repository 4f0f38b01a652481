import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableName } from './tables.ts'

/** The notification channel of all instances on one database. */
export const changeChannel = 'latchkey'

const notify = statement<{ channel: string; payload: string }>(
  'announce_change',
  (_, $) => `select pg_notify(${$.channel}, ${$.payload})`,
)

/**
 * Notifies all instances that a table was changed, when the running transaction commits. They also
 * query it periodically; this reduces the delay.
 */
export async function announceChange(sql: Queryable, table: TableName): Promise<void> {
  await notifyInstances(sql, sql.table(table))
}

/** Sends any payload to the listeners of all instances. */
export async function notifyInstances(sql: Queryable, payload: string): Promise<void> {
  await sql.query(notify, { channel: changeChannel, payload })
}
