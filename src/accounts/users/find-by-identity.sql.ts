import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { User } from './user.ts'
import { toUser, type UserRow, userExpression } from './user-row.ts'

const find = statement<{ provider: string; subject: string }, { user: UserRow }>(
  'find_user_by_identity',
  (sql, $) => `
    select ${userExpression(sql, 'u')} as user
    from ${sql.table('identities')} own join ${sql.table('users')} u on u.id = own.user_id
    where own.provider = ${$.provider} and own.subject = ${$.subject}`,
)

/** Returns the user with this account at a provider; null without one. */
export async function findByIdentity(
  sql: Queryable,
  { provider, subject }: { provider: string; subject: string },
): Promise<User | null> {
  const [row] = await sql.query(find, { provider, subject })
  return row ? toUser(row.user) : null
}
