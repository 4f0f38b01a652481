import type { Queryable } from '../sql/queryable.ts'
import type { Account } from './account.ts'
import { type AccountRow, accountExpression, toAccount } from './account-row.ts'

/** The user who has this account at a provider. */
export async function findByIdentity(
  sql: Queryable,
  { provider, subject }: { provider: string; subject: string },
): Promise<Account | null> {
  const [row] = await sql.query<{ account: AccountRow }>({
    name: 'find_user_by_identity',
    text: () => `
      select ${accountExpression(sql, 'u')} as account
      from ${sql.table('identities')} own join ${sql.table('users')} u on u.id = own.user_id
      where own.provider = $1 and own.subject = $2`,
    values: [provider, subject],
  })
  return row ? toAccount(row.account) : null
}
