import type { Precondition, Queryable } from '../kit/queryable.ts'
import { overSendRateLimit, sentTooRecently } from './limit-errors.ts'
import type { SendLimits } from './send-limits.ts'

/**
 * Spends interval and budget, in one statement with what they are for. Both are buckets: an interval
 * holds one token. An interval that is not over costs nothing of the budget, and a budget that is used
 * up leaves the interval as it was, however many ask at once: the budget is locked, then looked at,
 * then the interval is begun, and only who began it spends.
 */
export const spendLimits = ({ interval, budget }: SendLimits, now: Date): Precondition => ({
  expressions: spendingText,
  values: [
    interval?.key ?? null,
    interval?.seconds ?? 0,
    budget?.key ?? null,
    budget?.rate.count ?? 0,
    budget ? budget.rate.count / budget.rate.perSeconds : 0,
    now.toISOString(),
  ],
})

function spendingText(sql: Queryable, condition = 'true'): string {
  const buckets = sql.table('rate_limit_buckets')
  const elapsed = `greatest(0, extract(epoch from $6::timestamptz - b.refilled_at))::float8`
  const rested = `b.tokens + ${elapsed} / $2::float8`
  const level = `least($4::float8, b.tokens + ${elapsed} * $5::float8)`
  return `resting as (
      select (1 - b.tokens) * $2::float8 - ${elapsed} as seconds from ${buckets} b
      where key = $1::text and ${rested} < 1
    ), left_over as (
      select ${level} as tokens from ${buckets} b
      where key = $3::text and not exists (select from resting) for update
    ), gate as (
      select ${condition} and not exists (select from resting) and ($3::text is null
        or ($4::float8 >= 1 and not exists (select from left_over where tokens < 1))) as is_open
    ), pause as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $1::text, 0, $6::timestamptz where $1::text is not null and (select is_open from gate)
      on conflict (key) do update set tokens = 0, refilled_at = $6::timestamptz where ${rested} >= 1
      returning key
    ), budget as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select $3::text, $4::float8 - 1, $6::timestamptz
      where $3::text is not null and (select is_open from gate)
        and ($1::text is null or exists (select from pause))
      on conflict (key) do update set tokens = ${level} - 1, refilled_at = $6::timestamptz where ${level} >= 1
      returning key
    ), spent as (
      select (select seconds from resting) as rest_seconds,
        (select is_open from gate) and ($3::text is null or exists (select from budget)
          or ($1::text is not null and not exists (select from pause))) as within_budget,
        (select is_open from gate) and ($1::text is null or exists (select from pause))
          and ($3::text is null or exists (select from budget)) as allowed
    )`
}

/** What the row of `spent` says. */
export interface SpentRow {
  rest_seconds: number | null
  within_budget: boolean
  allowed: boolean
}

/**
 * Refuses what the limits do not allow.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429).
 */
export function requireAllowed(
  { rest_seconds, within_budget, allowed }: SpentRow,
  { interval, budget }: SendLimits,
  kind: 'email' | 'sms',
): void {
  if (allowed) return
  // A lost race for the interval leaves no rest in the table's state from before.
  const isResting = rest_seconds !== null || within_budget
  if (isResting) throw sentTooRecently(kind, rest_seconds ?? interval?.seconds ?? 0)
  const { count = 0, perSeconds = 3600 } = budget?.rate ?? {}
  throw overSendRateLimit(kind, count > 0 ? perSeconds / count : perSeconds)
}
