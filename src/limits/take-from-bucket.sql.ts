import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { RequestLimit } from './request-limit.ts'

type TakeParameters = { key: string; burst: number; refillPerSecond: number; now: string }

const take = statement<TakeParameters>('take_from_bucket', (sql, $) => {
  const level = `least(${$.burst}::float8, b.tokens
    + greatest(0, extract(epoch from ${$.now}::timestamptz - b.refilled_at)) * ${$.refillPerSecond}::float8)`
  return `
    insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
    values (${$.key}, ${$.burst}::float8 - 1, ${$.now})
    on conflict (key) do update set tokens = ${level} - 1, refilled_at = ${$.now}
    where ${level} >= 1
    returning key`
})

/**
 * Takes one from a bucket that fills continuously, making it full when it is new. Exact however many
 * ask at once: the row decides, and a refusal writes nothing.
 *
 * @returns whether there was one.
 */
export async function takeFromBucket(
  sql: Queryable,
  key: string,
  { burst, refillPerSecond }: RequestLimit,
  now: Date,
): Promise<boolean> {
  const rows = await sql.query(take, { key, burst, refillPerSecond, now: now.toISOString() })
  return rows.length > 0
}
