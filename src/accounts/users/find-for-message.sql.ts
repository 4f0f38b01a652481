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

interface FoundColumns extends StoredUserColumns {
  is_found: boolean
}

const findAfter = memoize(<Spent>(spending: PreconditionText<Spent>) => {
  const findBy = (kind: Address['kind']) =>
    statement<{ spending: ParameterValues; address: string }, Spent & FoundColumns>(
      `find_for_message_by_${kind}`,
      (sql, $) => `
        with ${spending(sql, $.spending)}
        select spent.*, u.id is not null as is_found, ${storedUserColumns(sql, 'u')}
        from spent left join ${sql.table('users')} u
          on u.${kind} = ${$.address} and not u.is_sso_user and u.deleted_at is null`,
    )
  return { email: findBy('email'), phone: findBy('phone') }
})

/**
 * Spends the limits of a message and looks up its recipient, in one statement. For an unknown
 * address, the columns of the user are formatted from nulls, so that it takes as long as for a known
 * one.
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
  return { spent: row, found: row.is_found ? toStoredUser(row) : null }
}
