import type { Queryable } from '../kit/queryable.ts'

/**
 * Forgets challenges that expired before then, and factors that nobody went on with, a few at a time.
 *
 * @returns how many challenges.
 */
export async function sweepFactors(
  sql: Queryable,
  { expiredSince, limit }: { expiredSince: Date; limit: number },
): Promise<number> {
  const sweep = async (table: string, condition: string) => {
    const rows = await sql.query({
      name: `sweep_${table}`,
      text: () => `delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${condition}
        limit $2 for update skip locked) returning id`,
      values: [expiredSince.toISOString(), limit],
    })
    return rows.length
  }
  await sweep('factors', `status = 'unverified' and created_at < $1`)
  return sweep('challenges', 'expires_at < $1')
}
