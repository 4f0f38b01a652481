import type { Queryable } from '../kit/queryable.ts'

/** Makes every link and code that was sent to a user worthless. */
export async function voidOneTimeTokens(sql: Queryable, userId: string): Promise<void> {
  await sql.query({
    name: 'void_one_time_tokens',
    text: () => `delete from ${sql.table('one_time_tokens')} where user_id = $1`,
    values: [userId],
  })
}
