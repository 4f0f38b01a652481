import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'

/** The record of an imported user. */
export interface ImportRecord {
  id: string
  fingerprint: string
  /** The user's `updatedAt` after the import. */
  updatedAt: Date
}

const record = statement<{ rows: Rows<'imported_users'> }>(
  'record_imported',
  (sql, $) =>
    `${sql.insertRows('imported_users', $.rows)} ${sql.overwrite('imported_users', 'id')}`,
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)

/** Stores the records of imported users, for the next run. */
export async function recordImported(
  sql: Queryable,
  records: readonly ImportRecord[],
): Promise<void> {
  const rows = records.map(({ id, fingerprint, updatedAt }) => ({
    id,
    fingerprint,
    updated_at: updatedAt.toISOString(),
  }))
  await sql.query(record, { rows: rowsOf('imported_users', ...rows) })
}
