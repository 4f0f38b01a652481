import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { nonPersonalTraits } from './audit-row.ts'

export interface Anonymization {
  userId: string
  /** A new id, which stands for the person from now on: what one person did stays one person's. */
  replacementId: string
  /** Written when there was anybody to forget. */
  auditRows: Rows<'audit_entries'>
  /** Whether there was, elsewhere. */
  isKnown: boolean
}

const anonymize = statement<Anonymization, { forgotten: boolean }>(
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
    ), forgotten as (
      select ${$.isKnown}::boolean or exists (select from e) as "any"
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where (select "any" from forgotten)
    )
    select "any" as forgotten from forgotten`,
)

/**
 * Keeps what a person did and what was done to them, and nothing that tells who it was. Of an operator's
 * entry, role, address and request stay: they are the operator's.
 *
 * @returns whether there was anybody to forget.
 */
export async function anonymizeAuditEntries(
  sql: Queryable,
  anonymization: Anonymization,
): Promise<boolean> {
  const [row] = await sql.query(anonymize, anonymization)
  return row?.forgotten ?? false
}
