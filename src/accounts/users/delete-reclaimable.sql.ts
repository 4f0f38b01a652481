import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, RowsExpression } from '../../platform/sql/tables.ts'
import { releaseAddress } from './contest-accounts.sql.ts'
import { isReclaimableCondition } from './registration.ts'
import type { User } from './user.ts'

const deletion = statement<{ users: string; auditRows: Rows<'audit_entries'> }, { id: string }>(
  'delete_reclaimable',
  (sql, $) => `
    with given as (
      select * from jsonb_to_recordset(${$.users}::jsonb) as given (id uuid, email text, phone text)
    ), holders as (
      select u.id from given join ${sql.table('users')} u
        on u.email = given.email and not u.is_sso_user and u.id <> given.id
      union select u.id from given join ${sql.table('users')} u
        on u.phone = given.phone and not u.is_sso_user and u.id <> given.id
    ), deleted as (
      delete from ${sql.table('users')} u using holders
      where u.id = holders.id and ${isReclaimableCondition('u')} returning u.id
    ), released_email as (
      ${releaseAddress(sql, 'email', `h.email in (select email from given where given.id <> h.id)`)}
    ), released_phone as (
      ${releaseAddress(sql, 'phone', `h.phone in (select phone from given where given.id <> h.id)`)}
    ), a as (
      ${sql.insertRows('audit_entries', entriesAboutDeleted($.auditRows))}
    )
    select id from deleted`,
  { unprepared: 'how best to look for them depends on how many users there are' },
)

/**
 * Deletes the reclaimable accounts that have an address of these users, and releases unconfirmed
 * addresses of accounts with another confirmed one. Runs in the transaction that stores the users.
 *
 * @param auditRows entries as rows from `rowsOf`, as many as accounts may be deleted: see
 *   {@link entriesAboutDeleted}.
 * @returns the ids of the deleted accounts.
 */
export async function deleteReclaimable(
  sql: Queryable,
  users: readonly Pick<User, 'id' | 'email' | 'phone'>[],
  auditRows: Rows<'audit_entries'>,
): Promise<string[]> {
  const deleted = await sql.query(deletion, {
    users: JSON.stringify(users.map(({ id, email, phone }) => ({ id, email, phone }))),
    auditRows,
  })
  return deleted.map(({ id }) => id)
}

/**
 * Returns an expression for as many of the given entries as `deleted` has rows, each about one of
 * them.
 *
 * @param rows an expression for the entries.
 */
export const entriesAboutDeleted = (rows: RowsExpression<'audit_entries'>) =>
  `(select jsonb_agg(e.entry || jsonb_build_object('user_id', g.id))
    from (select id, row_number() over () as place from deleted) g
    join jsonb_array_elements(${rows}::jsonb) with ordinality e (entry, place) on e.place = g.place)` as RowsExpression<'audit_entries'>
