import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { SendLimits } from './send-limits.ts'

type SpentLimits = {
  budgetKey: string | null
  budgetCount: number
  shareKey: string | null
  shareCount: number
  intervalKey: string | null
  togetherKey: string | null
  togetherCount: number
}

const giveBack = statement<SpentLimits>('give_back_limits', (sql, $) => {
  const buckets = sql.table('rate_limit_buckets')
  return `
    with budgets as (
      update ${buckets} b set tokens = least(spent.count, b.tokens + 1)
      from (values (${$.budgetKey}::text, ${$.budgetCount}::float8),
        (${$.shareKey}::text, ${$.shareCount}::float8)) as spent (key, count)
      where b.key = spent.key returning 1
    ), pause as (
      delete from ${buckets}
      where key = ${$.intervalKey}::text and (select count(*) from budgets) >= 0 returning 1
    )
    update ${buckets} b set tokens = least(${$.togetherCount}::float8, b.tokens + 1)
    where key = ${$.togetherKey}::text and (select count(*) from pause) >= 0`
})

/**
 * Gives back what was spent a moment ago on a message that does not come to be, in the order in which it was
 * spent: two that wait for each other's rows would be a fault.
 */
export async function giveBackLimits(
  sql: Queryable,
  { interval, budget }: SendLimits,
): Promise<void> {
  await sql.query(giveBack, {
    budgetKey: budget?.key ?? null,
    budgetCount: budget?.rate.count ?? 0,
    shareKey: budget?.share?.key ?? null,
    shareCount: budget?.share?.rate.count ?? 0,
    intervalKey: interval?.key ?? null,
    togetherKey: interval?.together?.key ?? null,
    togetherCount: interval?.together?.count ?? 0,
  })
}
