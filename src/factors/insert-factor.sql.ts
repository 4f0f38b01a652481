import type { Queryable } from '../sql/queryable.ts'
import { type NewRow, type Rows, rowsOf } from '../sql/tables.ts'

/**
 * Stores a factor in place of others, which go first: they may have its name or number.
 *
 * The version of the user is counted up, so that whoever is about to rewrite the account, and takes away the factors
 * of strangers, sees that there is one more.
 */
export async function insertFactor(
  sql: Queryable,
  row: NewRow<'factors'>,
  { replacedIds, auditRows }: { replacedIds: readonly string[]; auditRows: Rows<'audit_entries'> },
): Promise<void> {
  await sql.query({
    name: 'insert_factor',
    text: () => `
      with u as (
        update ${sql.table('users')} set updated_at = $3, version = version + 1 where id = $2
      ), a as (
        ${sql.insertRows('audit_entries', '$5')}
      ), replaced as (
        delete from ${sql.table('factors')} where user_id = $2 and id = any($4::uuid[]) returning id
      )
      ${sql.insertRows('factors', '$1')} where (select count(*) from replaced) is not null`,
    values: [
      rowsOf('factors', row),
      row.user_id,
      row.created_at,
      `{${replacedIds.join()}}`,
      auditRows,
    ],
  })
}
