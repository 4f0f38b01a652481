import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { Rows } from '../sql/tables.ts'

export interface FactorRemoval {
  userId: string
  factorId: string
  /** The method in `amr` that the factor stands for. */
  method: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const remove = statement<FactorRemoval>(
  'remove_factor',
  (sql, $) => `
    with f as (
      delete from ${sql.table('factors')} where id = ${$.factorId} and user_id = ${$.userId}
      returning id, status
    ), devices as (
      delete from ${sql.table('trusted_devices')} d using f
      where d.user_id = ${$.userId} and f.status = 'verified'
    ), s as (
      update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null, amr = coalesce((
        select jsonb_agg(known) from jsonb_array_elements(s.amr) known
        where known ->> 'method' not in (${$.method}, 'trusted_device')), '[]')
      from f where s.user_id = ${$.userId} and (s.factor_id = f.id or (f.status = 'verified'
        and s.factor_id is null and s.amr @> '[{"method": "trusted_device"}]'))
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from f)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select id from f`,
)

/**
 * Removes a factor and takes from sessions that it proved what they had by it. With a verified one no device is trusted any
 * more, and sessions that rose by a device fall back, too. The user has to be locked
 * by then: a statement that waited for a proof would not see which session that has just raised.
 *
 * @returns whether there was such a factor.
 */
export async function removeFactor(sql: Queryable, removal: FactorRemoval): Promise<boolean> {
  const removed = await sql.query(remove, removal)
  return removed.length > 0
}
