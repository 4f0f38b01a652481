import type { Queryable } from '../kit/queryable.ts'
import type { Account } from './account.ts'
import { type AccountRow, accountExpression, toAccount } from './account-row.ts'
import type { Address } from './addresses.ts'

/** An account together with what its password is checked against. */
export interface AccountWithPassword {
  account: Account
  passwordHash: string | null
}

interface Row {
  account: AccountRow
  password_hash: string | null
}

/**
 * The user with this address. Users of single sign-on are not found by address.
 *
 * @param audience where to look; null for everywhere, since an address belongs to one user at most.
 */
export async function findByAddress(
  sql: Queryable,
  { kind, value }: Address,
  audience: string | null,
): Promise<AccountWithPassword | null> {
  const [row] = await sql.query<Row>({
    name: `find_user_by_${kind}`,
    text: () => `
      select ${accountExpression(sql, 'u')} as account, u.password_hash
      from ${sql.table('users')} u
      where u.${kind} = $1 and ($2::text is null or u.audience = $2)
        and not u.is_sso_user and u.deleted_at is null`,
    values: [value, audience],
  })
  return row ? fromRow(row) : null
}

/** The user with this id, deleted ones included. */
export async function findById(
  sql: Queryable,
  userId: string,
): Promise<AccountWithPassword | null> {
  const [row] = await sql.query<Row>({
    name: 'find_user_by_id',
    text: () => `
      select ${accountExpression(sql, 'u')} as account, u.password_hash
      from ${sql.table('users')} u where u.id = $1`,
    values: [userId],
  })
  return row ? fromRow(row) : null
}

const fromRow = ({ account, password_hash }: Row): AccountWithPassword => ({
  account: toAccount(account),
  passwordHash: password_hash,
})
