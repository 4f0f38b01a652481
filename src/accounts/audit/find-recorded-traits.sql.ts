import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type AuditAction, auditActions } from './actions.ts'

const find = statement<{ action: number; trait: string; values: string }, { value: string }>(
  'find_recorded_traits',
  (sql, $) => `
    select distinct traits ->> ${$.trait}::text as value from ${sql.table('audit_entries')}
    where action = ${$.action}
      and traits ->> ${$.trait}::text in (select jsonb_array_elements_text(${$.values}::jsonb))`,
)

/**
 * Returns the values for which the audit log contains an action. By them an import recognizes clients
 * and providers that were deleted here.
 */
export async function findRecordedTraits(
  sql: Queryable,
  { action, trait, values }: { action: AuditAction; trait: string; values: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set()
  const found = await sql.query(find, {
    action: auditActions[action].number,
    trait,
    values: JSON.stringify(values),
  })
  return new Set(found.map(({ value }) => value))
}
