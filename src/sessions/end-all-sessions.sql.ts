import type { Queryable } from '../kit/queryable.ts'

/** Ends every session of a user. */
export async function endAllSessions(sql: Queryable, userId: string): Promise<void> {
  await sql.query({
    name: 'end_all_sessions',
    text: () => `delete from ${sql.table('sessions')} where user_id = $1`,
    values: [userId],
  })
}
