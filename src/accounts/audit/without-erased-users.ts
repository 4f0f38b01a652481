import type { RowsExpression, TableFragments } from '../../platform/sql/tables.ts'

/**
 * Returns an expression for audit entries without the ids of users that no longer exist: a user who
 * is erased concurrently must not be named again. Existing users are locked until the statement is
 * committed.
 *
 * @param rows an expression for the entries.
 * @param changed an expression for the id of a user whom the same statement changes, and so cannot
 *   lock.
 */
export const withoutErasedUsers = (
  sql: TableFragments,
  rows: AuditRowsExpression,
  changed = 'null::uuid',
): AuditRowsExpression =>
  `(
  select jsonb_agg(case when ${isErased(sql, 'actor_id', changed)} or ${isErased(sql, 'user_id', changed)}
    then entry || '{"actor_id": null, "user_id": null, "ip": null, "request_id": null}' else entry end)
  from jsonb_array_elements(${rows}::jsonb) entry)` as AuditRowsExpression

type AuditRowsExpression = RowsExpression<'audit_entries'>

function isErased(sql: TableFragments, column: string, changed: string): string {
  const id = `(entry ->> '${column}')::uuid`
  return `(${id} is not null and ${id} is distinct from ${changed} and
    (select p.id from ${sql.table('users')} p where p.id = ${id} for key share) is null)`
}
