import type { Queryable } from '../sql/queryable.ts'
import { rowsOf } from '../sql/tables.ts'

/** What a run brought over of a user. */
export interface ImportRecord {
  id: string
  fingerprint: string
  /** As it stands in the user's row now. */
  updatedAt: Date
}

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
  await sql.query({
    name: '',
    text: () =>
      `${sql.insertRows('imported_users', '$1')} ${sql.overwrite('imported_users', 'id')}`,
    values: [rowsOf('imported_users', ...rows)],
  })
}
