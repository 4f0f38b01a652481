import type { Queryable } from '../kit/queryable.ts'

/** Ends all sessions of a user save one; all of them when there is none to keep. */
export async function endOtherSessions(
  sql: Queryable,
  userId: string,
  keptSessionId: string | null,
): Promise<void> {
  await sql.query({
    name: 'end_other_sessions',
    text: () => `delete from ${sql.table('sessions')}
      where user_id = $1 and ($2::uuid is null or id <> $2)`,
    values: [userId, keptSessionId],
  })
}
