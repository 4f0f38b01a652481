import type { Queryable } from '../kit/queryable.ts'

/** Which of these belong to a user already. */
export interface Taken {
  email: boolean
  phone: boolean
}

export async function findTaken(
  sql: Queryable,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<Taken> {
  const users = sql.table('users')
  const [row] = await sql.query<Taken>({
    name: 'find_taken',
    text: () => `select
      exists (select from ${users} where email = $1 and not is_sso_user) as email,
      exists (select from ${users} where phone = $2 and not is_sso_user) as phone`,
    values: [email, phone],
  })
  return row ?? { email: false, phone: false }
}
