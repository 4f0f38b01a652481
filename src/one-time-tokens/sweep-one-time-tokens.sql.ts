import type { Queryable } from '../kit/queryable.ts'

/** Forgets links, codes and authorization codes that expired before then, a few at a time. */
export async function sweepOneTimeTokens(
  sql: Queryable,
  { expiredSince, limit }: { expiredSince: Date; limit: number },
): Promise<void> {
  const sweep = (table: string) =>
    sql.query({
      name: `sweep_${table}`,
      text: () => `delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where expires_at < $1
        limit $2 for update skip locked)`,
      values: [expiredSince.toISOString(), limit],
    })
  await sweep('one_time_tokens')
  await sweep('authorization_codes')
}
