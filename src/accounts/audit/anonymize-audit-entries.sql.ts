import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { nonPersonalTraits } from './audit-row.ts'

export interface Anonymization {
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
