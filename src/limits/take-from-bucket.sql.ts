import type { Queryable } from '../sql/queryable.ts'
import type { RequestLimit } from './request-limit.ts'

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
  const level = `least($2::float8, b.tokens
    + greatest(0, extract(epoch from $4::timestamptz - b.refilled_at)) * $3::float8)`
  const rows = await sql.query({
    name: 'take_from_bucket',
    text: () => `
      insert into ${sql.table('rate_limit_buckets')} as b (key, tokens, refilled_at)
      values ($1, $2::float8 - 1, $4)
      on conflict (key) do update set tokens = ${level} - 1, refilled_at = $4
      where ${level} >= 1
      returning key`,
    values: [key, burst, refillPerSecond, now.toISOString()],
  })
  return rows.length > 0
}
