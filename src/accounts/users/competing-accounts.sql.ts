import type { Clock } from '../../platform/kit/clock.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import {
  type Rows,
  type RowsExpression,
  selection,
  type TableFragments,
} from '../../platform/sql/tables.ts'
import type { Address } from './addresses.ts'
import { type StoredUserColumns, storedColumns } from './find-user.sql.ts'
import { isFoundByAddress } from './found-by-address.sql.ts'
import { isReclaimableCondition, releasesAddressCondition } from './kept-address.ts'
import { type AddressRequest, signUpOriginAfterExpression } from './sign-up-origin.ts'
import type { User } from './user.ts'

/** Returns the values of one member of the requests in rows of tokens, as a text array. */
const requestedIn = (tokenRows: string, member: 'email' | 'phone' | 'from'): string =>
  `array(select r -> 'request' ->> '${member}' from jsonb_array_elements(${tokenRows}::jsonb) r)`

/**
 * Returns an update of the accounts that hold, unconfirmed, an address that is requested for
 * another account. They become contested: a proof keeps nothing of their data. A client's request
 * does not contest its own account.
 *
 * @param tokenRows an expression for rows of tokens, each with its request.
 * @param own an expression for the id of the account that the tokens are stored for.
 */
export const contestAccounts = (sql: TableFragments, tokenRows: string, own: string): string =>
  `update ${sql.table('users')} h set registered_by = 'contested', version = h.version + 1
    where (h.email = any(${requestedIn(tokenRows, 'email')}) or h.phone = any(${requestedIn(tokenRows, 'phone')}))
      and h.id <> ${own} and not h.is_sso_user and h.registered_by <> 'contested'
      and h.email_confirmed_at is null and h.phone_confirmed_at is null
      and (h.registered_from = any(${requestedIn(tokenRows, 'from')})) is not true`

const contest = statement<{ kind: string; value: string; by: string; from: string | null }>(
  'contest_holder',
  (sql, $) => `
    update ${sql.table('users')} u set registered_by = 'contested', version = u.version + 1
    where ((${$.kind} = 'email' and u.email = ${$.value}) or (${$.kind} = 'phone' and u.phone = ${$.value}))
      and ${isFoundByAddress('u')} and u.registered_by <> 'contested'
      and ${signUpOriginAfterExpression('u', $.by, $.from)} = 'contested'`,
)

/**
 * Records a request for an address that a limit of all clients rejected. The unconfirmed account
 * that holds the address becomes contested where the request competes with its sign-up origin:
 * otherwise clients that spend the limit would keep requests of the owner from competing.
 */
export async function contestHolder(
  sql: Queryable,
  { kind, value, by, from }: Address & AddressRequest,
): Promise<void> {
  await sql.query(contest, { kind, value, by, from })
}

/**
 * Returns an expression for rows of new users. A user is contested from the start if another client
 * has requested the address for another account.
 *
 * @param userRows an expression for the rows.
 */
export const contestedRows = (
  sql: TableFragments,
  userRows: RowsExpression<'users'>,
): RowsExpression<'users'> =>
  `(select jsonb_agg(case when r ->> 'registered_by' is not null and ${isAwaited(sql, 'r')}
      then r || '{"registered_by": "contested"}' else r end)
    from jsonb_array_elements(${userRows}::jsonb) r)` as RowsExpression<'users'>

const isAwaited = (sql: TableFragments, row: string): string =>
  `exists (select from ${sql.table('one_time_tokens')} w
    where w.sent_to in (${row} ->> 'email', ${row} ->> 'phone')
      and w.purpose in ('email_change_new', 'phone_change')
      and w.expires_at > (${row} ->> 'created_at')::timestamptz
      and (w.requested_from = ${row} ->> 'registered_from') is not true)`

/**
 * The columns of a stored account at the proof of an address, by the one-time token `t`. An
 * unconfirmed account is contested where another client requests the address for another account,
 * also where neither statement recorded that because they were executed concurrently.
 */
export const provingUserColumns = selection<StoredUserColumns>((sql, user) =>
  storedColumns(
    sql,
    user,
    `case when ${user}.registered_by is not null and not ${user}.is_sso_user and ${hasCompetingRequest(sql, user)}
      then 'contested' else ${user}.registered_by end as registered_by`,
  ),
)

/**
 * Returns a condition: another account holds the address of the token `t`, or had a token for it
 * while `t` was live. A browser that requested one by an external sign-in counts as the client that
 * registered its account.
 */
const hasCompetingRequest = (sql: TableFragments, user: string): string =>
  `(exists (select from ${sql.table('users')} h
      where (h.email = t.sent_to or h.phone = t.sent_to) and h.id <> ${user}.id and not h.is_sso_user
        and (h.registered_from = ${user}.registered_from) is not true)
    or exists (select from ${sql.table('one_time_tokens')} w join ${sql.table('users')} o on o.id = w.user_id
      where w.sent_to = t.sent_to and w.user_id <> ${user}.id
        and w.created_at < t.expires_at and w.expires_at > t.created_at
        and (${user}.registered_from = case when w.requested_from like 'browser:%' then o.registered_from
          else w.requested_from end) is not true))`

/**
 * Returns an update of the accounts that hold an address unconfirmed beside a confirmed one. It
 * becomes a pending change, and is free for the account that has proved it.
 *
 * @param kind of the address.
 * @param condition further conditions, on the row `h`.
 */
export const releaseAddress = (
  sql: TableFragments,
  kind: 'email' | 'phone',
  condition: string,
): string =>
  `update ${sql.table('users')} h set ${kind} = null, new_${kind} = coalesce(h.new_${kind}, h.${kind}),
      version = h.version + 1
    where ${releasesAddressCondition('h', kind)} and ${condition}`

const deletion = statement<
  { users: string; auditRows: Rows<'audit_entries'>; now: string },
  { id: string }
>(
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
      where u.id = holders.id and ${isReclaimableCondition('u', $.now)} returning u.id
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
  { sql, clock }: { sql: Queryable; clock: Clock },
  users: readonly Pick<User, 'id' | 'email' | 'phone'>[],
  auditRows: Rows<'audit_entries'>,
): Promise<string[]> {
  const deleted = await sql.query(deletion, {
    users: JSON.stringify(users.map(({ id, email, phone }) => ({ id, email, phone }))),
    auditRows,
    now: clock.now().toISOString(),
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
