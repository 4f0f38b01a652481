import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { TokenRows } from '../../platform/sql/token-rows.ts'
import { contestAccounts, contestedRows, releaseAddress } from './competing-accounts.sql.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { rowsOfMoved } from './imported-users.sql.ts'
import type { Approval } from './new-user.ts'
import type { SignUpOrigin } from './sign-up-origin.ts'
import type { User } from './user.ts'
import { toRows } from './user-row.ts'

export interface UserInsertion {
  user: User
  approval: Approval
  passwordHash: string | null
  /** Null for a user that an operator creates, or whose address is confirmed. */
  signUpOrigin: SignUpOrigin | null
  /**
   * Rows from `rowsOf`: a first session or a code for one, tokens of a provider, a passkey, a
   * one-time token, its message, and audit entries.
   */
  sessionRows?: Rows<'sessions'>
  codeRows?: Rows<'authorization_codes'>
  providerTokenRows?: Rows<'provider_tokens'>
  passkeyRows?: Rows<'passkeys'>
  tokenRows?: TokenRows
  messageRows?: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type InsertParameters = {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
  sessionRows: Rows<'sessions'>
  codeRows: Rows<'authorization_codes'>
  providerTokenRows: Rows<'provider_tokens'>
  passkeyRows: Rows<'passkeys'>
  tokenRows: Rows<'one_time_tokens'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** Returns the confirmed addresses of new users: an unconfirmed one releases nothing. */
const provedIn = (userRows: string, kind: 'email' | 'phone'): string =>
  `array(select r ->> '${kind}' from jsonb_array_elements(${userRows}::jsonb) r
    where r ->> '${kind}_confirmed_at' is not null)`

const insert = statement<InsertParameters>(
  'insert_user',
  (sql, $) => `
    with released_email as (
      ${releaseAddress(sql, 'email', `h.email = any(${provedIn($.userRows, 'email')})`)}
      returning h.id
    ), released_phone as (
      ${releaseAddress(sql, 'phone', `h.phone = any(${provedIn($.userRows, 'phone')})`)}
      returning h.id
    ), u as (
      ${sql.insertRows('users', contestedRows(sql, $.userRows))}
      -- To count them is to have released their addresses, which are unique.
      where (select count(*) from released_email) + (select count(*) from released_phone) is not null
      on conflict do nothing returning id
    ), contested as (
      ${contestAccounts(sql, $.tokenRows, '(select id from u)')}
    ), i as (
      ${sql.insertRows('identities', $.identityRows)} where exists (select from u)
    ), s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from u)
    ), c as (
      ${sql.insertRows('authorization_codes', $.codeRows)} where exists (select from u)
    ), p as (
      ${sql.insertRows('provider_tokens', $.providerTokenRows)} where exists (select from u)
    ), k as (
      ${sql.insertRows('passkeys', $.passkeyRows)} where exists (select from u)
    ), t as (
      ${sql.insertRows('one_time_tokens', $.tokenRows)} where exists (select from u)
      ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from u)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from u)
    )
    select id from u`,
)

/**
 * Stores a new user with the identities and the given rows, in one statement.
 *
 * @throws AuthError `conflict` (409) when another user has an identity or passkey already; then
 *   nothing is stored.
 * @returns false when another user has the id, email or phone already; then nothing is stored.
 */
export async function insertUser(
  sql: Queryable,
  { user, passwordHash, signUpOrigin, ...rows }: UserInsertion,
): Promise<boolean> {
  const { row, identities } = toRows(user, passwordHash, signUpOrigin)
  const stored = await sql.query(insert, {
    userRows: rowsOf('users', row),
    identityRows: rowsOf('identities', ...identities),
    sessionRows: rows.sessionRows ?? noRows,
    codeRows: rows.codeRows ?? noRows,
    providerTokenRows: rows.providerTokenRows ?? noRows,
    passkeyRows: rows.passkeyRows ?? noRows,
    tokenRows: rows.tokenRows ?? noRows,
    messageRows: rows.messageRows ?? noRows,
    auditRows: rows.auditRows,
  })
  return stored.length > 0
}

type InsertUsersParameters = {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
  auditRows: Rows<'audit_entries'>
}

const insertAll = statement<InsertUsersParameters, { id: string }>(
  'insert_users',
  (sql, $) => `
    with given as (
      select id, user_id, provider, subject,
        first_value(user_id) over (partition by provider, subject order by ordinality) as first_user_id,
        first_value(user_id) over (partition by id order by ordinality) as first_holder_id
      from jsonb_populate_recordset(null::${sql.table('identities')}, ${$.identityRows}::jsonb) with ordinality
    ), barred as (
      select user_id from given where user_id <> first_user_id or user_id <> first_holder_id
      -- The subject of our own provider is the id of the user, which is unique itself.
      union select g.user_id from given g join ${sql.table('identities')} i
        on i.provider = g.provider and i.subject = g.subject and i.provider <> 'email'
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
  const stored = await sql.query(insertAll, { ...rowsOfMoved(users), auditRows })
  return new Set(stored.map(({ id }) => id))
}
