import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { rowsOfMoved } from './moved-rows.ts'

type InsertParameters = {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
  auditRows: Rows<'audit_entries'>
}

const insert = statement<InsertParameters, { id: string }>(
  'insert_users',
  (sql, $) => `
    with given as (
      select id, user_id, provider, subject,
        first_value(user_id) over (partition by provider, subject order by ordinality) as first_user_id,
        first_value(user_id) over (partition by id order by ordinality) as first_holder_id
      from jsonb_populate_recordset(null::${sql.table('identities')}, ${$.identityRows}::jsonb) with ordinality
    ), barred as (
      select user_id from given where user_id <> first_user_id or user_id <> first_holder_id
      union select g.user_id from given g join ${sql.table('identities')} i
        on i.provider = g.provider and i.subject = g.subject
      union select g.user_id from given g join ${sql.table('identities')} i on i.id = g.id
    ), u as (
      ${sql.insertRows('users', $.userRows)} where id not in (select user_id from barred)
      on conflict do nothing returning id
    ), i as (
      ${sql.insertRows('identities', $.identityRows)} where user_id in (select id from u)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where user_id in (select id from u)
    )
    select id from u`,
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)

/**
 * Stores many users with their identities, in one statement. Of two with the same address or
 * identity the first is stored. A user with a value that an existing user has is left out
 * completely.
 *
 * @param accounts each with an id of its own.
 * @param auditRows entries as rows from `rowsOf`: the entries about stored users are stored.
 * @returns the ids of the stored users.
 * @throws AuthError `conflict` when another request stores one of the identities concurrently. Then
 *   nothing is stored, and another attempt finds its owner.
 */
export async function insertUsers(
  sql: Queryable,
  users: readonly UserWithPassword[],
  auditRows: Rows<'audit_entries'>,
): Promise<ReadonlySet<string>> {
  if (users.length === 0) return new Set()
  const stored = await sql.query(insert, { ...rowsOfMoved(users), auditRows })
  return new Set(stored.map(({ id }) => id))
}
