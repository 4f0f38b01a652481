import { jsonRows, type Queryable } from '../sql/queryable.ts'

/** A row of `factors` for {@link insertFactor}. */
export interface NewFactorRow {
  id: string
  user_id: string
  factor_type: string
  status: string
  friendly_name: string | null
  phone: string | null
  /** In the form of `sealFactorSecret`. */
  secret: string | null
  created_at: string
  updated_at: string
}

/**
 * Stores a factor in place of others, which go first: they may have its name or number.
 *
 * The user's row changes too, so that whoever is about to rewrite the account, and takes away the factors
 * of strangers, sees that there is one more.
 */
export async function insertFactor(
  sql: Queryable,
  row: NewFactorRow,
  { replacedIds, auditRows }: { replacedIds: readonly string[]; auditRows: string },
): Promise<void> {
  await sql.query({
    name: 'insert_factor',
    text: () => `
      with u as (
        update ${sql.table('users')} set updated_at = $3 where id = $2
      ), a as (
        ${sql.insertRows('audit_entries', '$5')}
      ), replaced as (
        delete from ${sql.table('factors')} where user_id = $2 and id = any($4::uuid[]) returning id
      )
      ${sql.insertRows('factors', '$1')} where (select count(*) from replaced) is not null`,
    values: [jsonRows(row), row.user_id, row.created_at, `{${replacedIds.join()}}`, auditRows],
  })
}
