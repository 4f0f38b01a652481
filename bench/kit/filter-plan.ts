import { findUsersByPage } from '../../src/accounts/users/find-users.sql.ts'
import { runSql } from '../../test/support/sql.ts'
import { recordingSql } from '../../test/support/statements.ts'

/** Returns PostgreSQL's plan of the wire's list with a filter on a part of an address. */
export async function filterPlan(databaseUrl: string): Promise<string> {
  const { sql, requested } = recordingSql()
  const query = { audience: 'authenticated', filter: 'rson123@', order: 'desc' } as const
  await findUsersByPage(sql, query, { limit: 50, offset: 0 })
  const [statement] = requested
  const rows = await runSql(databaseUrl, {
    text: `explain ${statement?.text}`,
    values: statement?.values ?? [],
  })
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
}
