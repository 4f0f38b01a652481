import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { noRows, type Rows, type RowsExpression } from '../../platform/sql/tables.ts'

/** The user to delete, and the audit entries that record it: see {@link softDeleteUser}. */
export interface Deletion {
  userId: string
  /** Rows from `rowsOf`. The user's former addresses are added to their traits. */
  auditRows: Rows<'audit_entries'>
  messageRows?: Rows<'outbox_messages'>
}

/** Whether a user was deleted now, had been deleted before, or does not exist. */
export type DeletionResult = 'now' | 'before' | 'nobody'

const deletion = statement<Required<Deletion>>(
  'delete_user',
  (sql, $) => `
    with gone as (
      delete from ${sql.table('users')} where id = ${$.userId} returning id, email, phone
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from gone)
    ), a as (
      ${sql.insertRows('audit_entries', withAddresses($.auditRows))}
    )
    select id from gone`,
)

/** Deletes a user with all rows of the user, in one statement. */
export async function deleteUser(
  sql: Queryable,
  { userId, auditRows, messageRows = noRows }: Deletion,
): Promise<DeletionResult> {
  const deleted = await sql.query(deletion, { userId, auditRows, messageRows })
  return deleted.length > 0 ? 'now' : 'nobody'
}

/**
 * Returns an expression for audit entries with the addresses of the one row of `gone`, which are
 * stored nowhere else. It has no entries when `gone` has no row.
 */
export const withAddresses = (auditRows: RowsExpression<'audit_entries'>) =>
  `(select jsonb_agg(jsonb_set(entry, '{traits}', jsonb_build_object(
      'user_email', coalesce(gone.email, ''), 'user_phone', coalesce(gone.phone, ''))))
    from gone, jsonb_array_elements(${auditRows}::jsonb) entry)` as RowsExpression<'audit_entries'>
