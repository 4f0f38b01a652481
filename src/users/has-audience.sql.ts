import type { Queryable } from '../sql/queryable.ts'

/** Whether any user has this audience. */
export async function hasAudience(sql: Queryable, audience: string): Promise<boolean> {
  const [row] = await sql.query<{ known: boolean }>({
    name: 'has_audience',
    text: () => `
      select exists (select from ${sql.table('users')} where audience = $1) as known`,
    values: [audience],
  })
  return row?.known ?? false
}
