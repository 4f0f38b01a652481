import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

export interface ImportedPasskeys {
  /** All passkeys that these users have at the other service, as rows. */
  rows: readonly NewRow<'passkeys'>[]
  userIds: readonly string[]
}

export interface StoredPasskeys {
  /** The number of new passkeys. */
  added: number
  /** The user of each passkey that was not stored, because a user here has the same credential. */
  refusedOf: string[]
}

const unprepared = 'a plan from when the tables were empty would read all of them'

const deleteMissing = statement<{ passkeyRows: Rows<'passkeys'>; userIds: string }>(
  'delete_missing_passkeys',
  (sql, $) => `
    delete from ${sql.table('passkeys')} p using ${sql.table('imported_passkeys')} i
    where p.id = i.id and p.user_id in (
        select id::uuid from jsonb_array_elements_text(${$.userIds}::jsonb) as given_users (id))
      and p.id not in (
        select (r ->> 'id')::uuid from jsonb_array_elements(${$.passkeyRows}::jsonb) r)`,
  { unprepared },
)

const store = statement<{ passkeyRows: Rows<'passkeys'> }, StoredPasskeys>(
  'store_imported_passkeys',
  (sql, $) => `
    with given as (
      select * from jsonb_populate_recordset(null::${sql.table('passkeys')}, ${$.passkeyRows}::jsonb)
    ), overwritten as (
      update ${sql.table('passkeys')} p set friendly_name = g.friendly_name, updated_at = g.updated_at,
        sign_count = greatest(p.sign_count, g.sign_count), last_used_at = greatest(p.last_used_at, g.last_used_at)
      from given g where p.id = g.id and p.user_id = g.user_id and p.updated_at < g.updated_at
    ), fresh as (
      select g.id, g.user_id, exists (
        select from ${sql.table('factors')} f where f.credential_id = g.credential_id) as is_taken
      from given g
      where not exists (select from ${sql.table('imported_passkeys')} i where i.id = g.id)
    ), stored as (
      ${sql.insertRows('passkeys', $.passkeyRows)} where id in (select id from fresh where not is_taken)
      on conflict do nothing returning id
    ), marked as (
      insert into ${sql.table('imported_passkeys')} (id) select id from stored
    )
    select (select count(*)::int from stored) as added,
      (select coalesce(jsonb_agg(user_id), '[]') from fresh where id not in (select id from stored)) as "refusedOf"`,
  { unprepared },
)

/**
 * Updates the imported passkeys of users to their state at the other service. It deletes those that
 * no longer exist there, renames those that were renamed there later than here, and stores new
 * ones. Passkeys that were registered here stay, those that were removed here are not stored again,
 * and no signature count decreases.
 *
 * The caller's transaction runs two statements.
 */
export async function storeImportedPasskeys(
  sql: Queryable,
  { rows, userIds }: ImportedPasskeys,
): Promise<StoredPasskeys> {
  const passkeyRows = rowsOf('passkeys', ...rows)
  await sql.query(deleteMissing, { passkeyRows, userIds: JSON.stringify(userIds) })
  const [result] = await sql.query(store, { passkeyRows })
  return result ?? { added: 0, refusedOf: [] }
}
