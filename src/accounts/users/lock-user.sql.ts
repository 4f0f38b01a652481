import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const lock = statement<{ userId: string }>(
  'lock_user',
  (sql, $) => `select id from ${sql.table('users')} where id = ${$.userId} for update`,
)

/** Locks a user, if the user exists, until the transaction ends. */
export async function lockUser(sql: Queryable, userId: string): Promise<void> {
  await sql.query(lock, { userId })
}
