import type { Queryable } from '../sql/queryable.ts'
import type { User } from './user.ts'
import { toUser, type UserRow, userExpression } from './user-row.ts'

/** The user who has this account at a provider. */
export async function findByIdentity(
  sql: Queryable,
  { provider, subject }: { provider: string; subject: string },
): Promise<User | null> {
  const [row] = await sql.query<{ user: UserRow }>({
    name: 'find_user_by_identity',
    text: () => `
      select ${userExpression(sql, 'u')} as user
      from ${sql.table('identities')} own join ${sql.table('users')} u on u.id = own.user_id
      where own.provider = $1 and own.subject = $2`,
    values: [provider, subject],
  })
  return row ? toUser(row.user) : null
}
