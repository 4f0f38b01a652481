import type { Precondition, Queryable } from '../sql/queryable.ts'
import type { Address } from './addresses.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserColumns,
  toStoredUser,
} from './find-user.sql.ts'

/**
 * Spends what a message costs and looks up who it is for, in one statement, so that an unknown address
 * costs the same as a known one.
 * An address belongs to one user at most, in whatever audience.
 */
export async function findForMessage<Spent>(
  sql: Queryable,
  spending: Precondition,
  { kind, value }: Address,
): Promise<{ spent: Spent; found: StoredUser | null }> {
  const address = `$${spending.values.length + 1}`
  const [row] = await sql.query<Spent & Partial<StoredUserColumns>>({
    name: `find_for_message_by_${kind}`,
    text: () => `
      with ${spending.expressions(sql)}
      select spent.*, found.* from spent left join (
        select ${storedUserColumns(sql, 'u')} from ${sql.table('users')} u
        where u.${kind} = ${address} and not u.is_sso_user and u.deleted_at is null
      ) found on true`,
    values: [...spending.values, value],
  })
  if (!row) throw new Error('limits were not spent')
  return { spent: row, found: row.user ? toStoredUser(row as StoredUserColumns) : null }
}
