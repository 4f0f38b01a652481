import type { Queryable } from '../sql/queryable.ts'

/** Forgets the passwords that were tried for somebody who has none any more. */
export async function forgetAttempts(sql: Queryable, keys: readonly string[]): Promise<void> {
  await sql.query({
    name: 'forget_attempts',
    text: () => `delete from ${sql.table('password_attempts')} where key = any($1::text[])`,
    values: [`{${keys.join()}}`],
  })
}
