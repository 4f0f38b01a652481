import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

export interface FactorUpdate {
  userId: string
  factorId: string
  /** Null for no change, as is `phone`: somebody else may be changing the other one. */
  friendlyName: string | null
  phone: string | null
  now: Date
  auditRows: Rows<'audit_entries'>
}

/**
 * Changes what a factor is called and where it is. What was sent to another number proves nothing any
 * more.
 *
 * @returns whether there is such a factor.
 */
export async function updateFactor(sql: Queryable, update: FactorUpdate): Promise<boolean> {
  const { userId, factorId, friendlyName, phone, now, auditRows } = update
  const updated = await sql.query({
    name: 'update_factor',
    text: () => `
      with voided as (
        delete from ${sql.table('challenges')} c using ${sql.table('factors')} f
        where f.id = $2 and f.user_id = $1 and c.factor_id = f.id
          and $4::text is not null and f.phone is distinct from $4
      ), f as (
        update ${sql.table('factors')} set updated_at = $5,
          friendly_name = coalesce($3::text, friendly_name), phone = coalesce($4::text, phone)
        where id = $2 and user_id = $1 returning id
      ), a as (
        ${sql.insertRows('audit_entries', '$6')} where exists (select from f)
      )
      select id from f`,
    values: [userId, factorId, friendlyName, phone, now.toISOString(), auditRows],
  })
  return updated.length > 0
}
