import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { Passkey } from './passkey.ts'
import { type ShownPasskey, shownPasskey, toPasskey } from './passkey-row.ts'

export interface PasskeyRenaming {
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
