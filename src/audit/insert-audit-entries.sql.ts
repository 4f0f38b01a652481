import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'
import { presentPeople } from './present-people.ts'

/** Writes entries about something that changed nothing else. */
export async function insertAuditEntries(
  sql: Queryable,
  auditRows: Rows<'audit_entries'>,
): Promise<void> {
  await sql.query({
    name: 'insert_audit_entries',
    text: () => sql.insertRows('audit_entries', presentPeople(sql, '$1')),
    values: [auditRows],
  })
}
