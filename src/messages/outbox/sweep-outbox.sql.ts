import type { Queryable } from '../../kit/queryable.ts'

/** Forgets messages that were sent or given up before then, a few at a time. */
export async function sweepOutbox(
  sql: Queryable,
  { settledBefore, limit }: { settledBefore: Date; limit: number },
): Promise<void> {
  const outbox = sql.table('outbox_messages')
  await sql.query({
    name: 'sweep_outbox',
    text: () => `delete from ${outbox} where id in (
      select id from ${outbox} where settled_at < $1 order by settled_at
      limit $2 for update skip locked)`,
    values: [settledBefore.toISOString(), limit],
  })
}
