import type { Queryable } from '../kit/queryable.ts'

/** Forgets challenges that expired before then, and factors that nobody went on with, a few at a time. */
export async function sweepFactors(
  sql: Queryable,
  { expiredSince, limit }: { expiredSince: Date; limit: number },
): Promise<void> {
  const sweep = (table: string, condition: string) =>
    sql.query({
      name: `sweep_${table}`,
      text: () => `delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${condition}
        limit $2 for update skip locked)`,
      values: [expiredSince.toISOString(), limit],
    })
  await sweep('challenges', 'expires_at < $1')
  await sweep('factors', `status = 'unverified' and created_at < $1`)
}
