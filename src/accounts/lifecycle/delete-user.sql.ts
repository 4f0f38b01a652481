import type { Queryable } from '../../platform/sql/queryable.ts'
import { retryRolledBack } from '../../platform/sql/retry.ts'
import { statement } from '../../platform/sql/statement.ts'
import {
  noRows,
  type Rows,
  type RowsExpression,
  type TableName,
} from '../../platform/sql/tables.ts'
import { reportSessionsOf } from '../sessions/sessions.sql.ts'
import { softDeletions } from '../users/user-columns.ts'
import { endConsentsOf, endGrantsOf } from './end-parts.sql.ts'

/** The user to delete, and the audit entries that record it: see {@link softDeleteUser}. */
export interface Deletion {
  userId: string
  /** Rows from `rowsOf`. The user's former addresses are added to their traits. */
  auditRows: Rows<'audit_entries'>
  messageRows?: Rows<'outbox_messages'>
}

/** Whether a user was deleted now, had been deleted before, or does not exist. */
export type DeletionResult = 'now' | 'before' | 'unknown'

const deletion = statement<Required<Deletion>>(
  'delete_user',
  (sql, $) => `
    with removed as (
      delete from ${sql.table('users')} where id = ${$.userId} returning id, email, phone
    ), ${reportSessionsOf(sql, 'removed')}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from removed)
    ), a as (
      ${sql.insertRows('audit_entries', withAddresses($.auditRows))}
    )
    select id from removed`,
)

/**
 * Deletes a user with all rows of the user, in one statement. Statements of the user may lock rows
 * in another order, so it is repeated after a deadlock.
 */
export async function deleteUser(
  sql: Queryable,
  { userId, auditRows, messageRows = noRows }: Deletion,
): Promise<DeletionResult> {
  const values = { userId, auditRows, messageRows }
  const deleted = await retryRolledBack(() => sql.query(deletion, values))
  return deleted.length > 0 ? 'now' : 'unknown'
}

/**
 * Returns an expression for audit entries with the addresses of the one row of `removed`, the
 * deleted user: they are stored nowhere else. It has no entries when `removed` has no row.
 */
const withAddresses = (auditRows: RowsExpression<'audit_entries'>) =>
  `(select jsonb_agg(jsonb_set(entry, '{traits}', jsonb_build_object(
      'user_email', coalesce(removed.email, ''), 'user_phone', coalesce(removed.phone, ''))))
    from removed, jsonb_array_elements(${auditRows}::jsonb) entry)` as RowsExpression<'audit_entries'>

/** The tables whose rows a soft deletion deletes. Identities stay, with a hashed subject. */
const tablesOfUsers = [
  'sessions',
  'factors',
  'passkeys',
  'web_authn_challenges',
  'one_time_tokens',
  'authorization_codes',
  'outbox_messages',
] as const satisfies TableName[]

/**
 * Returns an expression for the SHA-256 hash of a text, 43 characters. The texts contain the user's
 * id, so that one address has another hash for each user.
 */
const hashOf = (text: string): string =>
  `translate(rtrim(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '='), '+/', '-_')`

const hashOfColumn = (column: string): string => hashOf(`u.id::text || coalesce(u.${column}, '')`)

/** The columns of the user `u` that lose their value. */
const cleared = softDeletions
  .flatMap(([column, left]) => {
    if (left === 'kept' || left === 'set') return []
    if (left === 'hashed') return `${column} = ${hashOfColumn(column)}`
    if (left === 'hashed phone') return `${column} = left(${hashOfColumn(column)}, 15)`
    return `${column} = ${left.literal}`
  })
  .join(', ')

type DeletionParameters = Required<Deletion> & { now: string }

const softDeletion = statement<DeletionParameters, { result: DeletionResult | 'changed' }>(
  'soft_delete_user',
  (sql, $) => `
    with stored as materialized (
      select version, deleted_at from ${sql.table('users')} where id = ${$.userId}
    ), removed as (
      select id, email, phone from ${sql.table('users')}
      where id = ${$.userId} and deleted_at is null and version = (select version from stored) for update
    ), u as (
      update ${sql.table('users')} u set
        ${cleared}, deleted_at = ${$.now}, updated_at = ${$.now}, version = u.version + 1
      from removed where u.id = removed.id
    ), i as (
      update ${sql.table('identities')} i set identity_data = '{}', email = null, updated_at = ${$.now},
        subject = ${hashOf(`i.user_id::text || i.provider || ':' || i.subject`)}
      from removed where i.user_id = removed.id
    ), no_provider_tokens as (
      delete from ${sql.table('provider_tokens')} t using removed, ${sql.table('identities')} i
      where i.user_id = removed.id and t.identity_id = i.id
    ), ${tablesOfUsers
      .map(
        (table) => `no_${table} as (
        delete from ${sql.table(table)} t using removed where t.user_id = removed.id
      )`,
      )
      .join(
        ', ',
      )}, ${endGrantsOf(sql, 'removed')}, ${endConsentsOf(sql, 'removed')}, ${reportSessionsOf(sql, 'removed')}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from removed)
    ), a as (
      ${sql.insertRows('audit_entries', withAddresses($.auditRows))}
    )
    select case when exists (select from removed) then 'now' when deleted_at is null then 'changed'
      else 'before' end as result from stored`,
)

/**
 * Removes the personal data of a user and keeps the row, so that references to it stay valid, in
 * one statement. A user who was soft-deleted before stays unchanged.
 *
 * @returns `changed` where another request changed the user meanwhile: its rows, such as an
 *   identity, are not visible to this statement, so nothing is deleted.
 */
export async function softDeleteUser(
  sql: Queryable,
  { userId, auditRows, messageRows = noRows, now }: Deletion & { now: Date },
): Promise<DeletionResult | 'changed'> {
  const values = { userId, now: now.toISOString(), auditRows, messageRows }
  const [found] = await retryRolledBack(() => sql.query(softDeletion, values))
  return found?.result ?? 'unknown'
}
