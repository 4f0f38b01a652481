import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'

const deleteAttempts = statement<{ keys: string }>(
  'forget_attempts',
  (sql, $) => `delete from ${sql.table('password_attempts')} where key = any(${$.keys}::text[])`,
)

/** Deletes the attempt counters of a user who no longer has a password. */
export async function deletePasswordAttempts(
  sql: Queryable,
  keys: readonly string[],
): Promise<void> {
  await sql.query(deleteAttempts, { keys: `{${keys.join()}}` })
}
