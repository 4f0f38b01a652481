import type { Queryable } from '../kit/queryable.ts'
import type { Account } from './account.ts'
import { type AccountRow, accountExpression, toAccount } from './account-row.ts'

export interface Ban {
  userId: string
  /** Null lifts a ban. */
  until: Date | null
  now: Date
  auditRows: string
}

/** Bans a user or lifts the ban, in one statement. @returns null when there is no such user. */
export async function setBan(
  sql: Queryable,
  { userId, until, now, auditRows }: Ban,
): Promise<Account | null> {
  const [row] = await sql.query<{ account: AccountRow }>({
    name: 'set_ban',
    text: () => `
      with banned as (
        update ${sql.table('users')} set banned_until = $2, updated_at = $3 where id = $1 returning *
      ), a as (
        ${sql.insertRows('audit_entries', '$4')} where exists (select from banned)
      )
      select ${accountExpression(sql, 'banned')} as account from banned`,
    values: [userId, until?.toISOString() ?? null, now.toISOString(), auditRows],
  })
  return row ? toAccount(row.account) : null
}
