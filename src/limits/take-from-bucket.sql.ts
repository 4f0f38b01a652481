import { latestInstant, secondsSince } from '../platform/sql/clock-set-back.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'
import { type CountedLimit, secondsUntilNext } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

type TakeParameters = { counted: string; now: string | null }

/** One limit in the form that the statement reads. */
interface CountedRow {
  place: number
  key: string
  burst: number
  refill_per_second: number
}

/**
 * Locks existing buckets in the order of their places and reads them, then takes from all of them
 * or from none. If another request creates a bucket meanwhile, its row decides; then some of them
 * may have been taken from, which `is_partial` reports.
 *
 * The time of a bucket never moves backwards: a request that waited for a lock is older than the
 * one before it, and clocks may differ. A bucket whose time shows that the clock was set back is
 * full.
 */
const take = statement<TakeParameters, { place: number; tokens: number; is_partial: boolean }>(
  'take_from_buckets',
  (sql, $) => {
    const buckets = sql.table('rate_limit_buckets')
    const now = '(select now from instant)'
    const elapsed = secondsSince('b.refilled_at', now)
    const level = `least(c.burst, b.tokens + ${elapsed} * c.refill_per_second)`
    const later = latestInstant('b.refilled_at', now)
    const ownLevel = `(select ${level} from counted c where c.key = b.key)`
    return `
      with instant as materialized (
        select coalesce(${$.now}::timestamptz, clock_timestamp()) as now
      ), counted as materialized (
        select * from jsonb_to_recordset(${$.counted}::jsonb)
          as c (place int, key text, burst float8, refill_per_second float8)
      ), held as (
        select c.place, ${level} as tokens from counted c join ${buckets} b on b.key = c.key
        order by c.place for update of b
      ), taken as (
        insert into ${buckets} as b (key, tokens, refilled_at)
        select c.key, c.burst - 1, ${now} from counted c
        where c.burst >= 1 and not exists (select from held where tokens < 1)
        order by c.place
        on conflict (key) do update set tokens = ${ownLevel} - 1, refilled_at = ${later}
        where ${ownLevel} >= 1
        returning b.key
      )
      select c.place, coalesce(h.tokens, 0) as tokens, exists (select from taken) as is_partial from counted c left join held h on h.place = c.place
      where c.key not in (select key from taken)
        and (h.tokens < 1 or not exists (select from held where tokens < 1))`
  },
)

/** Locks the buckets in the order of {@link take}. */
const returnTaken = statement<{ counted: string }>('return_taken_tokens', (sql, $) => {
  const buckets = sql.table('rate_limit_buckets')
  return `
    with held as (
      select c.key, c.burst from jsonb_to_recordset(${$.counted}::jsonb) as c (place int, key text, burst float8)
      join ${buckets} b on b.key = c.key order by c.place for update of b
    )
    update ${buckets} b set tokens = least(h.burst, b.tokens + 1) from held h where b.key = h.key`
})

/**
 * Takes one token from each of several buckets that refill continuously, or from none. A new bucket
 * is full. Counts are exact under concurrency: the rows decide, and a rejection writes nothing.
 *
 * @param now null for the clock of the database, which all instances share.
 * @returns null when each had a token, otherwise the seconds until all of them have one.
 */
export async function takeFromBuckets(
  sql: Queryable,
  counted: readonly CountedLimit[],
  now: Date | null,
): Promise<number | null> {
  const rows = counted.map(
    ({ key, limit }, place): CountedRow => ({
      place,
      key,
      burst: limit.burst,
      refill_per_second: limit.refillPerSecond,
    }),
  )
  const values = { counted: JSON.stringify(rows), now: now?.toISOString() ?? null }
  const empty = await sql.query(take, values)
  if (empty.length === 0) return null
  if (empty.some(({ is_partial: isPartial }) => isPartial)) {
    const isEmpty = new Set(empty.map(({ place }) => place))
    const taken = rows.filter(({ place }) => !isEmpty.has(place))
    await sql.query(returnTaken, { counted: JSON.stringify(taken) })
  }
  const waits = empty.flatMap(({ place, tokens }) => {
    const limit = counted[place]?.limit
    return limit ? [secondsUntilNext(limit, Math.min(tokens, 1))] : []
  })
  return Math.max(...waits)
}

/**
 * Takes one token from one bucket, like {@link takeFromBuckets}, and returns whether it had one.
 *
 * @param now as there.
 */
export const takeFromBucket = async (
  sql: Queryable,
  key: string,
  limit: RequestLimit,
  now: Date | null,
): Promise<boolean> => (await takeFromBuckets(sql, [{ key, limit }], now)) === null
