import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

export interface PasskeyRemoval {
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
