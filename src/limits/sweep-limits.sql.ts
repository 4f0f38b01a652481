import type { Queryable } from '../kit/queryable.ts'

/** Forgets buckets and attempts that nobody touched since then, a few at a time. */
export async function sweepLimits(
  sql: Queryable,
  { idleSince, limit }: { idleSince: Date; limit: number },
): Promise<void> {
  const sweep = (table: string, touchedAt: string) =>
    sql.query({
      name: `sweep_${table}`,
      text: () => `delete from ${sql.table(table)} where key in (
        select key from ${sql.table(table)} where ${touchedAt} < $1
        order by ${touchedAt} limit $2 for update skip locked)`,
      values: [idleSince.toISOString(), limit],
    })
  await sweep('rate_limit_buckets', 'refilled_at')
  await sweep('password_attempts', 'attempted_at')
}
