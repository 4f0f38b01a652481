import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, RowsExpression, TableFragments } from '../../platform/sql/tables.ts'
import { type AuditAction, auditActions } from './actions.ts'
import { nonPersonalTraits } from './audit-row.ts'

interface Anonymization {
  userId: string
  /** A new id that replaces the user's, so that the entries of one person stay related. */
  replacementId: string
  /** Stored where the user is known or has entries. */
  auditRows: Rows<'audit_entries'>
  /** Whether other tables contained data of the user. */
  isKnown: boolean
}

const anonymize = statement<Anonymization, { anonymized: boolean }>(
  'anonymize_audit_entries',
  (sql, $) => `
    with e as (
      update ${sql.table('audit_entries')} set
        actor_id = case when actor_id = ${$.userId} then ${$.replacementId} else actor_id end,
        user_id = case when user_id = ${$.userId} then ${$.replacementId} else user_id end,
        traits = (select jsonb_object_agg(key, value) from jsonb_each(traits)
          where key = any('{${nonPersonalTraits.join()}}'::text[])),
        ip = case when actor_role is not null then ip end,
        request_id = case when actor_role is not null then request_id end
      where actor_id = ${$.userId} or user_id = ${$.userId} returning id
    ), known as (
      select ${$.isKnown}::boolean or exists (select from e) as "any"
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where (select "any" from known)
    )
    select "any" as anonymized from known`,
)

/**
 * Removes personal data of a user from the audit entries, and keeps the entries. In entries about
 * acts of an operator, role, address and request stay: they are the operator's.
 *
 * @returns whether the user is known or had entries.
 */
export async function anonymizeAuditEntries(
  sql: Queryable,
  anonymization: Anonymization,
): Promise<boolean> {
  const [row] = await sql.query(anonymize, anonymization)
  return row?.anonymized ?? false
}

const deleteOldest = statement<{ before: string; limit: number }>(
  'sweep_audit',
  (sql, $) => `delete from ${sql.table('audit_entries')} where id = any(array(
    select id from ${sql.table('audit_entries')} where id < ${$.before} order by id
    limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Deletes entries older than `before`, the oldest first and up to `limit` at a time. Ids sort by
 * time.
 *
 * @returns the number of deleted entries.
 */
export async function sweepAudit(
  sql: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteOldest, { before: firstUuidAt(before), limit })
  return deleted.length
}

const findTraits = statement<{ action: number; trait: string; values: string }, { value: string }>(
  'find_recorded_traits',
  (sql, $) => `
    select distinct traits ->> ${$.trait}::text as value from ${sql.table('audit_entries')}
    where action = ${$.action}
      and traits ->> ${$.trait}::text in (select jsonb_array_elements_text(${$.values}::jsonb))`,
)

/**
 * Returns the values for which the audit log contains an action. By them an import recognizes
 * clients and providers that were deleted here.
 */
export async function findRecordedTraits(
  sql: Queryable,
  { action, trait, values }: { action: AuditAction; trait: string; values: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set()
  const found = await sql.query(findTraits, {
    action: auditActions[action].number,
    trait,
    values: JSON.stringify(values),
  })
  return new Set(found.map(({ value }) => value))
}

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
