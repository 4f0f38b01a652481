import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'
import { type CountedLimit, secondsUntilNext } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

type TakeParameters = { counted: string; now: string }

/** One limit in the form that the statement reads. */
interface CountedRow {
  place: number
  key: string
  burst: number
  refill_per_second: number
}

/**
 * Locks existing buckets in the order of their places and reads them, then takes from all of them
 * or from none. If another request creates a bucket meanwhile, its row decides.
 */
const take = statement<TakeParameters, { place: number; tokens: number }>(
  'take_from_buckets',
  (sql, $) => {
    const buckets = sql.table('rate_limit_buckets')
    const elapsed = `greatest(0, extract(epoch from ${$.now}::timestamptz - b.refilled_at))::float8`
    const level = `least(c.burst, b.tokens + ${elapsed} * c.refill_per_second)`
    const ownLevel = `(select ${level} from counted c where c.key = b.key)`
    return `
      with counted as materialized (
        select * from jsonb_to_recordset(${$.counted}::jsonb)
          as c (place int, key text, burst float8, refill_per_second float8)
      ), held as (
        select c.place, ${level} as tokens from counted c join ${buckets} b on b.key = c.key
        order by c.place for update of b
      ), taken as (
        insert into ${buckets} as b (key, tokens, refilled_at)
        select c.key, c.burst - 1, ${$.now}::timestamptz from counted c
        where c.burst >= 1 and not exists (select from held where tokens < 1)
        order by c.place
        on conflict (key) do update set tokens = ${ownLevel} - 1, refilled_at = ${$.now}::timestamptz
        where ${ownLevel} >= 1
        returning b.key
      )
      select c.place, coalesce(h.tokens, 0) as tokens from counted c left join held h on h.place = c.place
      where c.key not in (select key from taken)
        and (h.tokens < 1 or not exists (select from held where tokens < 1))`
  },
)

/**
 * Takes one token from each of several buckets that refill continuously, or from none. A new bucket
 * is full. Counts are exact under concurrency: the rows decide, and a rejection writes nothing.
 *
 * @returns null when each had a token, otherwise the seconds until all of them have one.
 */
export async function takeFromBuckets(
  sql: Queryable,
  counted: readonly CountedLimit[],
  now: Date,
): Promise<number | null> {
  const rows = counted.map(
    ({ key, limit }, place): CountedRow => ({
      place,
      key,
      burst: limit.burst,
      refill_per_second: limit.refillPerSecond,
    }),
  )
  const values = { counted: JSON.stringify(rows), now: now.toISOString() }
  const empty = await sql.query(take, values)
  if (empty.length === 0) return null
  const waits = empty.flatMap(({ place, tokens }) => {
    const limit = counted[place]?.limit
    return limit ? [secondsUntilNext(limit, Math.min(tokens, 1))] : []
  })
  return Math.max(...waits)
}

/**
 * Takes one token from one bucket, like {@link takeFromBuckets}, and returns whether it had one.
 */
export const takeFromBucket = async (
  sql: Queryable,
  key: string,
  limit: RequestLimit,
  now: Date,
): Promise<boolean> => (await takeFromBuckets(sql, [{ key, limit }], now)) === null
