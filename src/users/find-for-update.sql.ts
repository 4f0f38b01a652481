import type { Precondition, Queryable } from '../kit/queryable.ts'
import {
  type StoredAccount,
  type StoredAccountRow,
  storedAccountColumns,
  toStoredAccount,
} from './find-account.sql.ts'
import type { Taken } from './find-taken.sql.ts'

export interface FoundForUpdate<Spent> {
  spent: Spent
  stored: StoredAccount | null
  taken: Taken
}

interface Row extends StoredAccountRow {
  email_taken: boolean
  phone_taken: boolean
}

/**
 * A user as stored, and whether others have the addresses that it wants. If nobody has, what a message
 * to one of them costs is spent in the same statement.
 */
export async function findForUpdate<Spent>(
  sql: Queryable,
  spending: Precondition,
  userId: string,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<FoundForUpdate<Spent>> {
  const [id, newEmail, newPhone] = [1, 2, 3].map((n) => `$${spending.values.length + n}`)
  const users = sql.table('users')
  const [row] = await sql.query<Spent & Row>({
    name: 'find_for_update',
    text: () => `
      with taken as (
        select exists (select from ${users} where email = ${newEmail} and not is_sso_user) as email_taken,
          exists (select from ${users} where phone = ${newPhone} and not is_sso_user) as phone_taken
      ), ${spending.expressions(sql, '(select not email_taken and not phone_taken from taken)')}
      select spent.*, taken.*, found.*
      from spent cross join taken left join (
        select ${storedAccountColumns(sql, 'u')} from ${users} u
        where u.id = ${id} and u.deleted_at is null
      ) found on true`,
    values: [...spending.values, userId, email, phone],
  })
  if (!row) throw new Error('limits were not spent')
  return {
    spent: row,
    stored: row.account ? toStoredAccount(row) : null,
    taken: { email: row.email_taken, phone: row.phone_taken },
  }
}
