import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import { givesWayCondition } from './registration.ts'

/** Which of these belong to a user already who does not give way. */
export interface TakenAddresses {
  email: boolean
  phone: boolean
}

const find = statement<{ email: string | null; phone: string | null }, TakenAddresses>(
  'find_taken',
  (sql, $) => `select
    exists (select from ${sql.table('users')} u
      where u.email = ${$.email} and ${keepsAddress('u')}) as email,
    exists (select from ${sql.table('users')} u
      where u.phone = ${$.phone} and ${keepsAddress('u')}) as phone`,
)

export async function findTaken(
  sql: Queryable,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<TakenAddresses> {
  const [row] = await sql.query(find, { email, phone })
  return row ?? { email: false, phone: false }
}

/** Whether a user keeps an address from others. `user` is the alias of the row. */
export const keepsAddress = (user: string): string =>
  `not ${user}.is_sso_user and not ${givesWayCondition(user)}`
