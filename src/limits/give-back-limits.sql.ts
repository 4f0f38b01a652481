import type { Queryable } from '../kit/queryable.ts'
import type { SendLimits } from './send-limits.ts'

/** Gives back what was spent a moment ago on a message that does not come to be. */
export async function giveBackLimits(
  sql: Queryable,
  { interval, budget }: SendLimits,
): Promise<void> {
  const buckets = sql.table('rate_limit_buckets')
  await sql.query({
    name: 'give_back_limits',
    text: () => `
      with pause as (delete from ${buckets} where key = $1::text)
      update ${buckets} b set tokens = least(spent.count, b.tokens + 1)
      from (values ($2::text, $3::float8), ($4::text, $5::float8)) as spent (key, count)
      where b.key = spent.key`,
    values: [
      interval?.key ?? null,
      budget?.key ?? null,
      budget?.rate.count ?? 0,
      budget?.share?.key ?? null,
      budget?.share?.rate.count ?? 0,
    ],
  })
}
