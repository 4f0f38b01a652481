import type { Queryable } from '../sql/queryable.ts'
import { givesWayCondition } from './registration.ts'

/** Which of these belong to a user already who does not give way. */
export interface TakenAddresses {
  email: boolean
  phone: boolean
}

export async function findTaken(
  sql: Queryable,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<TakenAddresses> {
  const users = sql.table('users')
  const isKept = keepsAddress('u')
  const [row] = await sql.query<TakenAddresses>({
    name: 'find_taken',
    text: () => `select
      exists (select from ${users} u where u.email = $1 and ${isKept}) as email,
      exists (select from ${users} u where u.phone = $2 and ${isKept}) as phone`,
    values: [email, phone],
  })
  return row ?? { email: false, phone: false }
}

/** Whether a user keeps an address from others. `user` is the alias of the row. */
export const keepsAddress = (user: string): string =>
  `not ${user}.is_sso_user and not ${givesWayCondition(user)}`
