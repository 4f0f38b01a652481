import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { UserWithPassword } from '../users/find-user.sql.ts'
import { rowsOfMoved } from '../users/imported-users.sql.ts'
import { endParts } from './end-parts.sql.ts'

/** Accounts that may be replaced, and the effects of a replacement. */
export interface Replacement {
  users: readonly UserWithPassword[]
  /**
   * The users whose password changed at the other service: the sessions that they opened or renewed
   * here end, and so do the grants of capabilities.
   */
  endsSessionsOf: readonly string[]
  /** Rows from `rowsOf`. The entries about replaced users are stored. */
  auditRows: Rows<'audit_entries'>
}

const unprepared = 'a plan from when the tables were empty would read all of them'

type ReplaceParameters = {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
  endsSessionsOf: string
}

/** Returns a condition: the id of a row is among ids in JSON. */
const isIn = (row: string, ids: string): string =>
  `${row}.id in (select id::uuid from jsonb_array_elements_text(${ids}::jsonb) as given_users (id))`

const replace = statement<ReplaceParameters, { id: string }>(
  'replace_users',
  (sql, $) => `
    with given as (
      select r ->> 'id' as id, r from jsonb_array_elements(${$.userRows}::jsonb) r
    ), untouched as (
      select u.id, u.email is distinct from g.r ->> 'email'
        or u.phone is distinct from g.r ->> 'phone' as has_other_address
      from ${sql.table('users')} u
      join given g on u.id = g.id::uuid
      join ${sql.table('imported_users')} i on i.id = u.id and i.updated_at = u.updated_at
      for update of u
    ), u as (
      update ${sql.table('users')} u set ${sql.setColumns(
        'users',
        'u',
        `g.r || jsonb_build_object('last_sign_in_at',
          greatest(u.last_sign_in_at, (g.r ->> 'last_sign_in_at')::timestamptz))
          -- Requests here compete with each other also after another sign-up at the other service.
          || case when u.registered_by = 'contested' and g.r ->> 'registered_by' is not null
            then '{"registered_by": "contested"}'::jsonb else '{}' end`,
      )}
      from given g where u.id = g.id::uuid and u.id in (select id from untouched)
      returning u.id
    ), dropped as (
      delete from ${sql.table('identities')} i using u
      where i.user_id = u.id
        and i.id not in (select (r ->> 'id')::uuid from jsonb_array_elements(${$.identityRows}::jsonb) r)
    ), ${endParts(
      sql,
      'u',
      {
        passwordChangedElsewhere: isIn('owner', $.endsSessionsOf),
        addressChanged: 'owner.id in (select id from untouched where has_other_address)',
      },
      {
        onlySessions: `(s.refresh_token_counter > 0
          or not exists (select from ${sql.table('imported_sessions')} i where i.id = s.id))`,
      },
    )}
    select id from u`,
  { unprepared },
)

type LinkParameters = {
  replacedIds: string
  identityRows: Rows<'identities'>
  auditRows: Rows<'audit_entries'>
}

const link = statement<LinkParameters>(
  'link_replaced_users',
  (sql, $) => `
    with u as (
      select id::uuid from jsonb_array_elements_text(${$.replacedIds}::jsonb) as replaced (id)
    ), i as (
      ${sql.insertRows('identities', $.identityRows)} where user_id in (select id from u)
      on conflict (id) do update set provider = excluded.provider, subject = excluded.subject,
        identity_data = excluded.identity_data, email = excluded.email, last_sign_in_at = excluded.last_sign_in_at,
        updated_at = excluded.updated_at
      where ${sql.table('identities')}.user_id = excluded.user_id
    )
    ${sql.insertRows('audit_entries', $.auditRows)} where user_id in (select id from u)`,
  { unprepared },
)

/**
 * Updates imported users to their present state at the other service. Users that were changed here
 * in the meantime stay unchanged. A sign-in is no such change, and the later of both sign-in times
 * is stored. Links and codes that were sent to a former address end.
 *
 * The caller's transaction runs two statements: an identity that was linked again has the provider
 * and subject of a row that has to be deleted before.
 *
 * @returns the ids of the replaced users.
 */
export async function replaceUsers(
  sql: Queryable,
  { users, endsSessionsOf, auditRows }: Replacement,
): Promise<Set<string>> {
  const { userRows, identityRows } = rowsOfMoved(users)
  const replaced = await sql.query(replace, {
    userRows,
    identityRows,
    endsSessionsOf: JSON.stringify(endsSessionsOf),
  })
  const ids = replaced.map(({ id }) => id)
  await sql.query(link, { replacedIds: JSON.stringify(ids), identityRows, auditRows })
  return new Set(ids)
}
