import type { Queryable } from '../kit/queryable.ts'

export interface FactorRemoval {
  userId: string
  factorId: string
  /** The method in `amr` that the factor stands for. */
  method: string
  /** Whether a factor that was verified may go, too. */
  includesVerified: boolean
  messageRows: string
  auditRows: string
}

/**
 * Removes a factor and takes from sessions that it proved what they had by it, in one statement.
 *
 * @returns whether there was such a factor.
 */
export async function removeFactor(sql: Queryable, removal: FactorRemoval): Promise<boolean> {
  const removed = await sql.query({
    name: 'remove_factor',
    text: () => `
      with u as materialized (
        select id from ${sql.table('users')} where id = $1 for no key update
      ), f as (
        delete from ${sql.table('factors')} f using u
        where f.id = $2 and f.user_id = u.id and ($4 or f.status <> 'verified') returning f.id
      ), s as (
        update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null, amr = coalesce((
          select jsonb_agg(known) from jsonb_array_elements(s.amr) known
          where known ->> 'method' <> $3), '[]')
        from f where s.user_id = $1 and s.factor_id = f.id
      ), m as (
        ${sql.insertRows('outbox_messages', '$5')} where exists (select from f)
      ), a as (
        ${sql.insertRows('audit_entries', '$6')} where exists (select from f)
      )
      select id from f`,
    values: [
      removal.userId,
      removal.factorId,
      removal.method,
      removal.includesVerified,
      removal.messageRows,
      removal.auditRows,
    ],
  })
  return removed.length > 0
}
