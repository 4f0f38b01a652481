import type { Queryable } from '../kit/queryable.ts'

/** Forgets tokens that expired before then, a few at a time. */
export async function sweepOneTimeTokens(
  sql: Queryable,
  { expiredSince, limit }: { expiredSince: Date; limit: number },
): Promise<void> {
  await sql.query({
    name: 'sweep_one_time_tokens',
    text: () => `delete from ${sql.table('one_time_tokens')} where id in (
      select id from ${sql.table('one_time_tokens')} where expires_at < $1
      limit $2 for update skip locked)`,
    values: [expiredSince.toISOString(), limit],
  })
}
