import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

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
