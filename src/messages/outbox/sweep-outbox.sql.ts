import type { Queryable } from '../../sql/queryable.ts'

/**
 * Forgets messages that were sent or given up before then, a few at a time.
 *
 * @returns how many.
 */
export async function sweepOutbox(
  sql: Queryable,
  { settledBefore, limit }: { settledBefore: Date; limit: number },
): Promise<number> {
  const outbox = sql.table('outbox_messages')
  const rows = await sql.query({
    name: 'sweep_outbox',
    text: () => `delete from ${outbox} where id in (
      select id from ${outbox} where settled_at < $1 order by settled_at
      limit $2 for update skip locked) returning id`,
    values: [settledBefore.toISOString(), limit],
  })
  return rows.length
}
