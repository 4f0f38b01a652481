import type { Queryable } from '../kit/queryable.ts'

/** Makes every link and code that was sent to a user worthless, and what a link of PKCE ended in. */
export async function voidOneTimeTokens(sql: Queryable, userId: string): Promise<void> {
  await sql.query({
    name: 'void_one_time_tokens',
    text: () => `
      with codes as (
        delete from ${sql.table('authorization_codes')} where user_id = $1
      )
      delete from ${sql.table('one_time_tokens')} where user_id = $1`,
    values: [userId],
  })
}
