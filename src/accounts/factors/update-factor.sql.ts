import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

export interface FactorUpdate {
  userId: string
  factorId: string
  /** Null for no change, as is `phone`: a concurrent request may change the other one. */
  friendlyName: string | null
  phone: string | null
  now: Date
  auditRows: Rows<'audit_entries'>
}

type UpdateParameters = Omit<FactorUpdate, 'now'> & { now: string }

const update = statement<UpdateParameters>(
  'update_factor',
  (sql, $) => `
    with voided as (
      delete from ${sql.table('challenges')} c using ${sql.table('factors')} f
      where f.id = ${$.factorId} and f.user_id = ${$.userId} and c.factor_id = f.id
        and ${$.phone}::text is not null and f.phone is distinct from ${$.phone}
    ), f as (
      update ${sql.table('factors')} set updated_at = ${$.now},
        friendly_name = coalesce(${$.friendlyName}::text, friendly_name),
        phone = coalesce(${$.phone}::text, phone)
      where id = ${$.factorId} and user_id = ${$.userId} returning id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select id from f`,
)

/**
 * Changes the name and the phone number of a factor. A new number deletes the challenges whose code
 * went to the old one.
 *
 * @returns whether the user has this factor.
 */
export async function updateFactor(
  sql: Queryable,
  { now, ...changes }: FactorUpdate,
): Promise<boolean> {
  const updated = await sql.query(update, { ...changes, now: now.toISOString() })
  return updated.length > 0
}
