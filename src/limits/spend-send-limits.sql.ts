import type { Rate } from '../config/sections/values.ts'
import type { Precondition, Queryable } from '../sql/queryable.ts'
import { overSendRateLimit, sentTooRecently } from './limit-errors.ts'
import type { SendLimits } from './send-limits.ts'

/**
 * Spends interval and budget, in one statement with what they are for. All are buckets: an interval
 * holds one token, beside those that all clients share. An interval that is not over costs nothing of the
 * budget, and a budget that is used up, or the client's share of it, leaves the interval as it was, however
 * many ask at once: the budget is locked, then it and the share are looked at, then the interval is begun, and
 * only who began it spends, of the share first. A budget that is new has no row to be locked: it is spent before
 * the share, so that all lock in one order. For the same reason what clients share of an address is looked at
 * without a lock, and spent after the interval: who loses a race for the last of it waits the interval out.
 */
export const spendLimits = ({ interval, budget }: SendLimits, now: Date): Precondition => ({
  expressions: spendingText,
  values: [
    interval?.key ?? null,
    interval?.seconds ?? 0,
    budget?.key ?? null,
    budget?.rate.count ?? 0,
    perSecond(budget?.rate),
    now.toISOString(),
    budget?.reserved ?? 0,
    budget?.share?.key ?? null,
    budget?.share?.rate.count ?? 0,
    perSecond(budget?.share?.rate),
    interval?.together?.key ?? null,
    interval?.together?.count ?? 0,
    interval?.together?.seconds ?? 0,
  ],
})

const perSecond = (rate: Rate | undefined): number => (rate ? rate.count / rate.perSeconds : 0)

function spendingText(sql: Queryable, condition = 'true'): string {
  const buckets = sql.table('rate_limit_buckets')
  const elapsed = `greatest(0, extract(epoch from $6::timestamptz - b.refilled_at))::float8`
  const rested = `b.tokens + ${elapsed} / $2::float8`
  const level = `least($4::float8, b.tokens + ${elapsed} * $5::float8)`
  const shareLevel = `least($9::float8, b.tokens + ${elapsed} * $10::float8)`
  const enough = `1 + $7::float8`
  const togetherLevel = `least($12::float8, b.tokens + ${elapsed} * $12::float8 / $13::float8)`
  const hasBegun = `($1::text is null or exists (select from pause))
        and ($11::text is null or exists (select from together))`
  const maySpend = `$3::text is not null and (select is_open from gate) and ${hasBegun}`
  return `resting as (
      select (1 - b.tokens) * $2::float8 - ${elapsed} as seconds from ${buckets} b
      where key = $1::text and ${rested} < 1
      union all
      select (1 - ${togetherLevel}) * $13::float8 / $12::float8 from ${buckets} b
      where key = $11::text and ${togetherLevel} < 1
    ), left_over as (
      select ${level} as tokens from ${buckets} b
      where key = $3::text and not exists (select from resting) for update
    ), share_left as (
      select ${shareLevel} as tokens from ${buckets} b
      where key = $8::text and (select count(*) from left_over) >= 0 for update
    ), gate as (
      select ${condition} and not exists (select from resting) and ($3::text is null
        or ($4::float8 >= ${enough} and not exists (select from left_over where tokens < ${enough})
          and not exists (select from share_left where tokens < 1))) as is_open
    ), pause as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $1::text, 0, $6::timestamptz where $1::text is not null and (select is_open from gate)
      on conflict (key) do update set tokens = 0, refilled_at = $6::timestamptz where ${rested} >= 1
      returning key
    ), together as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $11::text, $12::float8 - 1, $6::timestamptz
      where $11::text is not null and (select is_open from gate)
        and ($1::text is null or exists (select from pause))
      on conflict (key) do update set tokens = ${togetherLevel} - 1, refilled_at = $6::timestamptz
      where ${togetherLevel} >= 1
      returning key
    ), new_budget as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $3::text, $4::float8 - 1, $6::timestamptz
      where ${maySpend} and not exists (select from left_over)
      on conflict (key) do update set tokens = ${level} - 1, refilled_at = $6::timestamptz
      where ${level} >= ${enough}
      returning tokens
    ), share as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $8::text, $9::float8 - 1, $6::timestamptz
      where $8::text is not null and ${maySpend}
        and (exists (select from left_over) or exists (select from new_budget))
      on conflict (key) do update set tokens = ${shareLevel} - 1, refilled_at = $6::timestamptz
      where ${shareLevel} >= 1
      returning key
    ), known_budget as (
      update ${buckets} b set tokens = ${level} - 1, refilled_at = $6::timestamptz
      where key = $3::text and ${maySpend} and exists (select from left_over)
        and ($8::text is null or exists (select from share))
      returning tokens
    ), budget as (
      select tokens from new_budget union all select tokens from known_budget
    ), spent as (
      select (select max(seconds) from resting) as rest_seconds,
        (select is_open from gate) and ($3::text is null or exists (select from budget)
          or not (${hasBegun})) as within_budget,
        not exists (select from share_left where tokens < 1) as within_share,
        (select tokens from budget) as budget_left,
        (select is_open from gate) and ${hasBegun}
          and ($3::text is null or exists (select from budget))
          and ($8::text is null or exists (select from share)) as allowed
    )`
}

/** What the row of `spent` says. */
export interface SpentRow {
  rest_seconds: number | null
  within_budget: boolean
  within_share: boolean
  /** Of the budget; null where nothing was spent of one. */
  budget_left: number | null
  allowed: boolean
}

/**
 * Refuses what the limits do not allow.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429).
 */
export function requireAllowed(
  { rest_seconds, within_budget, within_share, allowed }: SpentRow,
  { interval, budget }: SendLimits,
  kind: 'email' | 'sms',
): void {
  if (allowed) return
  // A lost race for an interval leaves no rest in the table's state from before.
  const isResting = rest_seconds !== null || within_budget
  if (isResting) throw sentTooRecently(kind, rest_seconds ?? interval?.seconds ?? 0)
  const rate = within_share ? budget?.rate : budget?.share?.rate
  const { count = 0, perSeconds = 3600 } = rate ?? {}
  throw overSendRateLimit(kind, count > 0 ? perSeconds / count : perSeconds)
}
