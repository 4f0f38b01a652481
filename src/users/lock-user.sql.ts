import type { Queryable } from '../sql/queryable.ts'

/** Locks a user, if there is such a one, until the transaction ends. */
export async function lockUser(sql: Queryable, userId: string): Promise<void> {
  await sql.query({
    name: 'lock_user',
    text: () => `select id from ${sql.table('users')} where id = $1 for update`,
    values: [userId],
  })
}
