import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

export interface InsertionOfPasskey {
  /** Most passkeys that the user may have, this one among them. */
  maxPasskeys: number
  /** As `rowsOf` makes them, as the audit entries are. */
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
 * Stores a passkey, unless the user has as many as there may be, or anybody has the same, be it as a second factor. The user has to be locked by
 * then, so that two cannot take the last place.
 *
 * The version of the user is counted up, so that whoever is about to rewrite the account, and takes away what
 * strangers brought, sees that there is one more.
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
