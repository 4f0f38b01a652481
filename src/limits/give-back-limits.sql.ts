import type { Queryable } from '../sql/queryable.ts'
import type { SendLimits } from './send-limits.ts'

/**
 * Gives back what was spent a moment ago on a message that does not come to be, in the order in which it was
 * spent: two that wait for each other's rows would be a fault.
 */
export async function giveBackLimits(
  sql: Queryable,
  { interval, budget }: SendLimits,
): Promise<void> {
  const buckets = sql.table('rate_limit_buckets')
  await sql.query({
    name: 'give_back_limits',
    text: () => `
      with budgets as (
        update ${buckets} b set tokens = least(spent.count, b.tokens + 1)
        from (values ($1::text, $2::float8), ($3::text, $4::float8)) as spent (key, count)
        where b.key = spent.key returning 1
      ), pause as (
        delete from ${buckets} where key = $5::text and (select count(*) from budgets) >= 0 returning 1
      )
      update ${buckets} b set tokens = least($7::float8, b.tokens + 1)
      where key = $6::text and (select count(*) from pause) >= 0`,
    values: [
      budget?.key ?? null,
      budget?.rate.count ?? 0,
      budget?.share?.key ?? null,
      budget?.share?.rate.count ?? 0,
      interval?.key ?? null,
      interval?.together?.key ?? null,
      interval?.together?.count ?? 0,
    ],
  })
}
