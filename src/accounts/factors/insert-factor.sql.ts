import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

type InsertParameters = {
  factorRows: Rows<'factors'>
  userId: string
  now: string
  replacedIds: string
  auditRows: Rows<'audit_entries'>
}

const insert = statement<InsertParameters>(
  'insert_factor',
  (sql, $) => `
    with u as (
      update ${sql.table('users')}
        set updated_at = ${$.now}, version = version + 1 where id = ${$.userId}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    ), replaced as (
      delete from ${sql.table('factors')}
      where user_id = ${$.userId} and id = any(${$.replacedIds}::uuid[]) returning id
    )
    ${sql.insertRows('factors', $.factorRows)} where (select count(*) from replaced) is not null`,
)

/**
 * Stores a factor in place of others, which are deleted first: they may have its name or number.
 *
 * The version of the user increases. A concurrent change of the account, such as one that removes
 * the factors of other clients, then does not overlook the new one.
 */
export async function insertFactor(
  sql: Queryable,
  row: NewRow<'factors'>,
  { replacedIds, auditRows }: { replacedIds: readonly string[]; auditRows: Rows<'audit_entries'> },
): Promise<void> {
  await sql.query(insert, {
    factorRows: rowsOf('factors', row),
    userId: row.user_id,
    now: row.created_at,
    replacedIds: `{${replacedIds.join()}}`,
    auditRows,
  })
}
