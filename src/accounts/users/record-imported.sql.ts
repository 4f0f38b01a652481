import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'

/** What a run brought over of a user. */
export interface ImportRecord {
  id: string
  fingerprint: string
  /** As it stands in the user's row now. */
  updatedAt: Date
}

const record = statement<{ rows: Rows<'imported_users'> }>(
  'record_imported',
  (sql, $) =>
    `${sql.insertRows('imported_users', $.rows)} ${sql.overwrite('imported_users', 'id')}`,
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)

/** Remembers what was brought over, for the next run. */
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
