import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { withoutErasedUsers } from './audit-entries.sql.ts'
import { countOccurrences } from './audit-row.ts'

const insertEntries = statement<{ auditRows: Rows<'audit_entries'> }>(
  'insert_audit_entries',
  (sql, $) =>
    `${sql.insertRows('audit_entries', withoutErasedUsers(sql, $.auditRows))} ${countOccurrences(sql)}`,
)

/** Stores entries about acts that change no other row. */
export async function insertAuditEntries(
  sql: Queryable,
  auditRows: Rows<'audit_entries'>,
): Promise<void> {
  await sql.query(insertEntries, { auditRows })
}
