import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

export interface FactorRemoval {
  userId: string
  factorId: string
  /** The method in `amr` that the factor stands for. */
  method: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/**
 * Removes a factor and takes from sessions that it proved what they had by it. The user has to be locked
 * by then: a statement that waited for a proof would not see which session that has just raised.
 *
 * @returns whether there was such a factor.
 */
export async function removeFactor(sql: Queryable, removal: FactorRemoval): Promise<boolean> {
  const removed = await sql.query({
    name: 'remove_factor',
    text: () => `
      with f as (
        delete from ${sql.table('factors')} where id = $2 and user_id = $1 returning id
      ), s as (
        update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null, amr = coalesce((
          select jsonb_agg(known) from jsonb_array_elements(s.amr) known
          where known ->> 'method' <> $3), '[]')
        from f where s.user_id = $1 and s.factor_id = f.id
      ), m as (
        ${sql.insertRows('outbox_messages', '$4')} where exists (select from f)
      ), a as (
        ${sql.insertRows('audit_entries', '$5')} where exists (select from f)
      )
      select id from f`,
    values: [
      removal.userId,
      removal.factorId,
      removal.method,
      removal.messageRows,
      removal.auditRows,
    ],
  })
  return removed.length > 0
}
