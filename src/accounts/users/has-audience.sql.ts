import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const find = statement<{ audience: string }, { known: boolean }>(
  'has_audience',
  (sql, $) =>
    `select exists (select from ${sql.table('users')} where audience = ${$.audience}) as known`,
)

/** Returns whether any user has this audience. */
export async function hasAudience(sql: Queryable, audience: string): Promise<boolean> {
  const [row] = await sql.query(find, { audience })
  return row?.known ?? false
}
