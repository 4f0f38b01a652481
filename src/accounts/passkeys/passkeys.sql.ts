import type { Queryable } from '../../platform/sql/queryable.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'
import type { PasskeyEntity } from './passkey.entity.ts'
import type { Passkey } from './passkey.ts'
import type { WebAuthnChallenge } from './web-authn-challenge.entity.ts'

export type PasskeyRow = RowOf<PasskeyEntity>

export type WebAuthnChallengeRow = RowOf<WebAuthnChallenge>

/** The columns of a passkey that users see, as PostgreSQL writes them in JSON. */
type ShownPasskey = Pick<
  PasskeyRow,
  'id' | 'friendly_name' | 'created_at' | 'last_used_at' | 'suspended_at'
>

export const toPasskey = (row: ShownPasskey): Passkey => ({
  id: row.id,
  friendlyName: row.friendly_name,
  createdAt: new Date(row.created_at),
  lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
})

/** Returns an expression for a row of `passkeys`, in the form that {@link toPasskey} reads. */
const shownPasskey = (row: string): string =>
  `json_build_object('id', ${row}.id, 'friendly_name', ${row}.friendly_name,
    'created_at', ${row}.created_at, 'last_used_at', ${row}.last_used_at,
    'suspended_at', ${row}.suspended_at)`

const find = statement<{ userId: string }, { passkey: ShownPasskey }>(
  'find_passkeys',
  (sql, $) => `
    select ${shownPasskey('p')} as passkey from ${sql.table('passkeys')} p
    where p.user_id = ${$.userId} order by p.created_at, p.id`,
)

/** Returns the passkeys of a user, the oldest first. */
export async function findPasskeys(sql: Queryable, userId: string): Promise<Passkey[]> {
  const rows = await sql.query(find, { userId })
  return rows.map(({ passkey }) => toPasskey(passkey))
}

export interface InsertionOfPasskey {
  /** The maximum number of passkeys of the user, including this one. */
  maxPasskeys: number
  /** Rows from `rowsOf`, as the audit entries are. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type InsertParameters = InsertionOfPasskey & {
  passkeyRows: Rows<'passkeys'>
  credentialId: string
  userId: string
  now: string
}

const insert = statement<InsertParameters, { result: 'stored' | 'full' | 'known' }>(
  'insert_passkey',
  (sql, $) => `
    with room as (
      select count(*) < ${$.maxPasskeys}::int as is_there
      from ${sql.table('passkeys')} where user_id = ${$.userId}
    ), p as (
      ${sql.insertRows('passkeys', $.passkeyRows)} where (select is_there from room)
        and not exists (select from ${sql.table('factors')} f where f.credential_id = ${$.credentialId})
      on conflict (credential_id) do nothing returning id
    ), u as (
      update ${sql.table('users')} set updated_at = ${$.now}, version = version + 1
      where id = ${$.userId} and exists (select from p)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from p)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from p)
    )
    select case when exists (select from p) then 'stored' when is_there then 'known' else 'full' end as result
    from room`,
)

/**
 * Stores a passkey, unless the user has the maximum, or any user has the same credential, as a
 * passkey or a second factor. The caller has locked the user, so that concurrent requests cannot
 * exceed the maximum.
 *
 * The version of the user increases. A concurrent change of the account, such as one that removes
 * credentials of other clients, then does not overlook the new passkey.
 */
export async function insertPasskey(
  sql: Queryable,
  row: NewRow<'passkeys'>,
  insertion: InsertionOfPasskey,
): Promise<'stored' | 'full' | 'known'> {
  const [inserted] = await sql.query(insert, {
    ...insertion,
    passkeyRows: rowsOf('passkeys', row),
    credentialId: row.credential_id,
    userId: row.user_id,
    now: row.created_at,
  })
  if (!inserted) throw new Error('a passkey was not counted')
  return inserted.result
}

interface PasskeyRenaming {
  userId: string
  passkeyId: string
  friendlyName: string
  now: Date
  auditRows: Rows<'audit_entries'>
}

type RenameParameters = Omit<PasskeyRenaming, 'now'> & { now: string }

const rename = statement<RenameParameters, { passkey: ShownPasskey }>(
  'rename_passkey',
  (sql, $) => `
    with u as materialized (
      select id from ${sql.table('users')} where id = ${$.userId} for key share
    ), p as (
      update ${sql.table('passkeys')} p set friendly_name = ${$.friendlyName}, updated_at = ${$.now}
      from u where p.id = ${$.passkeyId} and p.user_id = u.id returning p.*
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from p)
    )
    select ${shownPasskey('p')} as passkey from p`,
)

/**
 * Changes the name of a passkey of this user.
 *
 * @returns null where the user has no such passkey.
 */
export async function renamePasskey(
  sql: Queryable,
  { now, ...renaming }: PasskeyRenaming,
): Promise<Passkey | null> {
  const [row] = await sql.query(rename, { ...renaming, now: now.toISOString() })
  return row ? toPasskey(row.passkey) : null
}

interface PasskeyRemoval {
  userId: string
  passkeyId: string
  /** Rows from `rowsOf`, as the audit entries are. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const remove = statement<PasskeyRemoval>(
  'delete_passkey',
  (sql, $) => `
    with u as materialized (
      select id from ${sql.table('users')} where id = ${$.userId} for no key update
    ), p as (
      delete from ${sql.table('passkeys')} p using u where p.id = ${$.passkeyId} and p.user_id = u.id
      returning p.id
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from p)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from p)
    )
    select id from p`,
)

/**
 * Deletes a passkey of this user.
 *
 * @returns whether the user had this passkey.
 */
export async function deletePasskey(sql: Queryable, removal: PasskeyRemoval): Promise<boolean> {
  const removed = await sql.query(remove, removal)
  return removed.length > 0
}

/**
 * Returns a statement that deletes the passkeys of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `p`.
 */
export const deletePasskeysOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('passkeys')} p using ${users} owner
      where ${condition} and p.user_id = owner.id`

/** Returns an update that suspends the passkeys of users, unless they are suspended already. */
export const suspendPasskeysOf = (
  sql: TableFragments,
  users: string,
  suspendedAt: string,
): string =>
  `update ${sql.table('passkeys')} p set suspended_at = coalesce(p.suspended_at, ${suspendedAt})
      from ${users} owner where ${suspendedAt}::timestamptz is not null and p.user_id = owner.id`

/** Returns an update that ends the suspension of one passkey of a user. */
export const resumePasskeyOf = (sql: TableFragments, users: string, passkeyId: string): string =>
  `update ${sql.table('passkeys')} p set suspended_at = null
      from ${users} owner where p.id = ${passkeyId} and p.user_id = owner.id`

/**
 * Returns a statement that deletes the WebAuthn challenges of users, as {@link deletePasskeysOf},
 * with the rows `c`.
 */
export const deleteWebAuthnChallengesOf = (
  sql: TableFragments,
  users: string,
  condition = 'true',
): string =>
  `delete from ${sql.table('web_authn_challenges')} c using ${users} owner
      where ${condition} and c.user_id = owner.id`
