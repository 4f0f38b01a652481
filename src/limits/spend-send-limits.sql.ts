import type { Rate } from '../config/sections/values.ts'
import type { Precondition, PreconditionText } from '../sql/queryable.ts'
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
export const spendLimits = (
  { interval, budget }: SendLimits,
  now: Date,
): Precondition<SpentRow, SpendingParameters> => ({
  text: spendingText,
  values: {
    intervalKey: interval?.key ?? null,
    intervalSeconds: interval?.seconds ?? 0,
    togetherKey: interval?.together?.key ?? null,
    togetherCount: interval?.together?.count ?? 0,
    togetherSeconds: interval?.together?.seconds ?? 0,
    budgetKey: budget?.key ?? null,
    budgetCount: budget?.rate.count ?? 0,
    budgetPerSecond: perSecond(budget?.rate),
    reserved: budget?.reserved ?? 0,
    shareKey: budget?.share?.key ?? null,
    shareCount: budget?.share?.rate.count ?? 0,
    sharePerSecond: perSecond(budget?.share?.rate),
    now: now.toISOString(),
  },
})

type SpendingParameters = {
  intervalKey: string | null
  intervalSeconds: number
  /** What all clients share of an address. */
  togetherKey: string | null
  togetherCount: number
  togetherSeconds: number
  budgetKey: string | null
  budgetCount: number
  budgetPerSecond: number
  reserved: number
  /** What one client may have of the budget. */
  shareKey: string | null
  shareCount: number
  sharePerSecond: number
  now: string
}

const perSecond = (rate: Rate | undefined): number => (rate ? rate.count / rate.perSeconds : 0)

const spendingText: PreconditionText<SpentRow, SpendingParameters> = (
  sql,
  $,
  condition = 'true',
) => {
  const buckets = sql.table('rate_limit_buckets')
  const elapsed = `greatest(0, extract(epoch from ${$.now}::timestamptz - b.refilled_at))::float8`
  const rested = `b.tokens + ${elapsed} / ${$.intervalSeconds}::float8`
  const level = `least(${$.budgetCount}::float8, b.tokens + ${elapsed} * ${$.budgetPerSecond}::float8)`
  const shareLevel = `least(${$.shareCount}::float8, b.tokens + ${elapsed} * ${$.sharePerSecond}::float8)`
  const enough = `1 + ${$.reserved}::float8`
  const togetherLevel = `least(${$.togetherCount}::float8, b.tokens + ${elapsed} * ${$.togetherCount}::float8 / ${$.togetherSeconds}::float8)`
  const hasBegun = `(${$.intervalKey}::text is null or exists (select from pause))
        and (${$.togetherKey}::text is null or exists (select from together))`
  const maySpend = `${$.budgetKey}::text is not null and (select is_open from gate) and ${hasBegun}`
  return `resting as (
      select (1 - b.tokens) * ${$.intervalSeconds}::float8 - ${elapsed} as seconds from ${buckets} b
      where key = ${$.intervalKey}::text and ${rested} < 1
      union all
      select (1 - ${togetherLevel}) * ${$.togetherSeconds}::float8 / ${$.togetherCount}::float8 from ${buckets} b
      where key = ${$.togetherKey}::text and ${togetherLevel} < 1
    ), left_over as (
      select ${level} as tokens from ${buckets} b
      where key = ${$.budgetKey}::text and not exists (select from resting) for update
    ), share_left as (
      select ${shareLevel} as tokens from ${buckets} b
      where key = ${$.shareKey}::text and (select count(*) from left_over) >= 0 for update
    ), gate as (
      select ${condition} and not exists (select from resting) and (${$.budgetKey}::text is null
        or (${$.budgetCount}::float8 >= ${enough} and not exists (select from left_over where tokens < ${enough})
          and not exists (select from share_left where tokens < 1))) as is_open
    ), pause as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$.intervalKey}::text, 0, ${$.now}::timestamptz where ${$.intervalKey}::text is not null and (select is_open from gate)
      on conflict (key) do update set tokens = 0, refilled_at = ${$.now}::timestamptz where ${rested} >= 1
      returning key
    ), together as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$.togetherKey}::text, ${$.togetherCount}::float8 - 1, ${$.now}::timestamptz
      where ${$.togetherKey}::text is not null and (select is_open from gate)
        and (${$.intervalKey}::text is null or exists (select from pause))
      on conflict (key) do update set tokens = ${togetherLevel} - 1, refilled_at = ${$.now}::timestamptz
      where ${togetherLevel} >= 1
      returning key
    ), new_budget as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$.budgetKey}::text, ${$.budgetCount}::float8 - 1, ${$.now}::timestamptz
      where ${maySpend} and not exists (select from left_over)
      on conflict (key) do update set tokens = ${level} - 1, refilled_at = ${$.now}::timestamptz
      where ${level} >= ${enough}
      returning tokens
    ), share as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$.shareKey}::text, ${$.shareCount}::float8 - 1, ${$.now}::timestamptz
      where ${$.shareKey}::text is not null and ${maySpend}
        and (exists (select from left_over) or exists (select from new_budget))
      on conflict (key) do update set tokens = ${shareLevel} - 1, refilled_at = ${$.now}::timestamptz
      where ${shareLevel} >= 1
      returning key
    ), known_budget as (
      update ${buckets} b set tokens = ${level} - 1, refilled_at = ${$.now}::timestamptz
      where key = ${$.budgetKey}::text and ${maySpend} and exists (select from left_over)
        and (${$.shareKey}::text is null or exists (select from share))
      returning tokens
    ), budget as (
      select tokens from new_budget union all select tokens from known_budget
    ), spent as (
      select (select max(seconds) from resting) as rest_seconds,
        (select is_open from gate) and (${$.budgetKey}::text is null or exists (select from budget)
          or not (${hasBegun})) as within_budget,
        not exists (select from share_left where tokens < 1) as within_share,
        (select tokens from budget) as budget_left,
        (select is_open from gate) and ${hasBegun}
          and (${$.budgetKey}::text is null or exists (select from budget))
          and (${$.shareKey}::text is null or exists (select from share)) as allowed
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

/** Which of the limits of a message refuses it: its interval, what all share, or what one client may take of that. */
export function refusingLimit({
  rest_seconds,
  within_budget,
  within_share,
  allowed,
}: SpentRow): 'interval' | 'budget' | 'share' | null {
  if (allowed) return null
  // A lost race for an interval leaves no rest in the table's state from before.
  if (rest_seconds !== null || within_budget) return 'interval'
  return within_share ? 'budget' : 'share'
}

/**
 * Refuses what the limits do not allow.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429).
 */
export function requireAllowed(
  spent: SpentRow,
  { interval, budget }: SendLimits,
  kind: 'email' | 'sms',
): void {
  const limit = refusingLimit(spent)
  if (limit === null) return
  if (limit === 'interval')
    throw sentTooRecently(kind, spent.rest_seconds ?? interval?.seconds ?? 0)
  const rate = limit === 'budget' ? budget?.rate : budget?.share?.rate
  const { count = 0, perSeconds = 3600 } = rate ?? {}
  throw overSendRateLimit(kind, count > 0 ? perSeconds / count : perSeconds)
}
