import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import type { Address } from './addresses.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserColumns,
  toStoredUser,
} from './find-user.sql.ts'

const findAfter = memoize(<Spent>(spending: PreconditionText<Spent>) => {
  const findBy = (kind: Address['kind']) =>
    statement<{ spending: ParameterValues; address: string }, Spent & Partial<StoredUserColumns>>(
      `find_for_message_by_${kind}`,
      (sql, $) => `
        with ${spending(sql, $.spending)}
        select spent.*, found.* from spent left join (
          select ${storedUserColumns(sql, 'u')} from ${sql.table('users')} u
          where u.${kind} = ${$.address} and not u.is_sso_user and u.deleted_at is null
        ) found on true`,
    )
  return { email: findBy('email'), phone: findBy('phone') }
})

/**
 * Spends the limits of a message and looks up its recipient, in one statement, so that an unknown
 * address costs as much as a known one.
 *
 * An address belongs to at most one user, over all audiences.
 */
export async function findForMessage<Spent>(
  sql: Queryable,
  spending: Precondition<Spent>,
  { kind, value }: Address,
): Promise<{ spent: Spent; found: StoredUser | null }> {
  const [row] = await sql.query(findAfter(spending.text)[kind], {
    spending: spending.values,
    address: value,
  })
  if (!row) throw new Error('limits were not spent')
  return { spent: row, found: row.user ? toStoredUser(row as StoredUserColumns) : null }
}
