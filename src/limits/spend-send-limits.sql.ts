import type { Rate } from '../platform/config/sections/values.ts'
import { latestInstant, secondsSince, sharedInstant } from '../platform/sql/clock-set-back.ts'
import type { Precondition, PreconditionText } from '../platform/sql/queryable.ts'
import { overSendRateLimit, sentTooRecently } from './limit-errors.ts'
import type { SendLimits } from './send-limits.ts'

/**
 * Spends interval and budgets, in one statement with the rows that they are for.
 *
 * All of them are buckets; an interval is a bucket with one token, beside the shared one of all
 * clients. A request that is rejected by its interval spends no budget. A request that is rejected
 * by a budget, or by its network's share of it, does not begin an interval.
 *
 * Concurrent requests are counted exactly, too. The budgets are locked, then their rows and the
 * shares are read, then the interval is begun. Only the request that began it spends, the shares
 * first. A new budget has no row to lock: it is spent before the shares, so that all requests lock
 * in one order. For the same reason the shared limit of an address is read without a lock and spent
 * after the interval. A request that loses the race for its last token waits for the interval.
 */
export const spendLimits = (
  { databaseNow }: { databaseNow(): Date | null },
  { interval, requests, budget }: SendLimits,
): Precondition<SpentRow> => {
  // Most requests have spent their limits in the look-up of the user.
  if (!interval && !requests && !budget) return { text: unlimitedText, values: {} }
  const [wide, middle, narrow] = budget?.shares ?? []
  return {
    text: spendingText,
    values: {
      intervalKey: interval?.key ?? null,
      intervalSeconds: interval?.seconds ?? 0,
      sharedKey: interval?.shared?.key ?? null,
      sharedCount: interval?.shared?.count ?? 0,
      sharedSeconds: interval?.shared?.seconds ?? 0,
      networkKey: interval?.shared?.network?.key ?? null,
      networkCount: interval?.shared?.network?.count ?? 0,
      requestsKey: requests?.key ?? null,
      requestsCount: requests?.rate.count ?? 0,
      requestsPerSecond: perSecond(requests?.rate),
      requestsForNew: requests?.forNewClients ?? 0,
      budgetKey: budget?.key ?? null,
      budgetCount: budget?.rate.count ?? 0,
      budgetPerSecond: perSecond(budget?.rate),
      reserved: budget?.reserved ?? 0,
      budgetForNew: budget?.forNewClients ?? 0,
      wideKey: wide?.key ?? null,
      wideCount: wide?.rate.count ?? 0,
      widePerSecond: perSecond(wide?.rate),
      middleKey: middle?.key ?? null,
      middleCount: middle?.rate.count ?? 0,
      middlePerSecond: perSecond(middle?.rate),
      narrowKey: narrow?.key ?? null,
      narrowCount: narrow?.rate.count ?? 0,
      narrowPerSecond: perSecond(narrow?.rate),
      now: databaseNow()?.toISOString() ?? null,
    },
  }
}

/** The parts of the client's networks, in the order in which they are spent: see `sharesOf`. */
const shareNames = ['wide', 'middle', 'narrow'] as const

type BucketName = (typeof shareNames)[number] | 'requests' | 'budget'

type SpendingParameters = {
  [Name in BucketName as `${Name}Key`]: string | null
} & { [Name in BucketName as `${Name}Count` | `${Name}PerSecond`]: number } & {
  intervalKey: string | null
  intervalSeconds: number
  /** The shared limit of all clients for an address. */
  sharedKey: string | null
  sharedCount: number
  sharedSeconds: number
  /** The part of it that the client's widest network may take. */
  networkKey: string | null
  networkCount: number
  /** The number that is reserved for operators. */
  reserved: number
  /** The number that is reserved for clients that have taken nothing yet. */
  budgetForNew: number
  requestsForNew: number
  now: string | null
}

const perSecond = (rate: Rate | undefined): number => (rate ? rate.count / rate.perSeconds : 0)

const spendingText: PreconditionText<SpentRow, SpendingParameters> = (
  sql,
  $,
  condition = 'true',
) => {
  const buckets = sql.table('rate_limit_buckets')
  const now = sharedInstant($.now)
  const elapsed = secondsSince('b.refilled_at', now)
  const later = latestInstant('b.refilled_at', now)
  const isUsed = (name: BucketName) => `${$[`${name}Key`]}::text is not null`
  const intervalLevel = `b.tokens + ${elapsed} / ${$.intervalSeconds}::float8`
  const levelOf = (name: BucketName) =>
    `least(${$[`${name}Count`]}::float8, b.tokens + ${elapsed} * ${$[`${name}PerSecond`]}::float8)`
  const levelWithin = (count: string) =>
    `least(${count}::float8, b.tokens + ${elapsed} * ${count}::float8 / ${$.sharedSeconds}::float8)`
  const sharedLevel = levelWithin($.sharedCount)
  const networkLevel = levelWithin($.networkCount)
  const isNew = `not exists (select from shares_left where place = 1 and tokens < count)`
  const forOld = (name: 'requests' | 'budget') =>
    `case when ${isNew} then 0 else ${$[`${name}ForNew`]}::float8 end`
  const enough = {
    requests: `1 + ${forOld('requests')}`,
    budget: `1 + ${$.reserved}::float8 + ${forOld('budget')}`,
  }
  const hasBegun = `(${$.intervalKey}::text is null or exists (select from begun))
        and (${$.sharedKey}::text is null or exists (select from shared))
        and (${$.networkKey}::text is null or exists (select from network))`
  const maySpend = `(select is_open from gate) and ${hasBegun}`
  const isHeld = (name: 'requests' | 'budget') =>
    `(not ${isUsed(name)} or exists (select from ${name}_left) or exists (select from new_${name}))`
  const spentShares = (names: readonly BucketName[]) =>
    names.map((name) => ` and (not ${isUsed(name)} or exists (select from ${name}_share))`).join('')
  const isWithin = (name: 'requests' | 'budget') =>
    `(not ${isUsed(name)} or (${$[`${name}Count`]}::float8 >= ${enough[name]}
          and not exists (select from ${name}_left where tokens < ${enough[name]})))`
  const inserted = (name: BucketName, more: string, atLeast = '1') => `
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$[`${name}Key`]}::text, ${$[`${name}Count`]}::float8 - 1, ${now}
      where ${isUsed(name)} and ${maySpend}${more}
      on conflict (key) do update set tokens = ${levelOf(name)} - 1, refilled_at = ${later}
      where ${levelOf(name)} >= ${atLeast}
      returning tokens`
  const insertShare = (
    name: (typeof shareNames)[number],
    at: number,
  ) => `${name}_share as (${inserted(
    name,
    ` and ${isHeld('requests')} and ${isHeld('budget')}${spentShares(shareNames.slice(0, at))}`,
  )}
    )`
  const updateHeld = (name: 'requests' | 'budget') => `
      update ${buckets} b set tokens = ${levelOf(name)} - 1, refilled_at = ${later}
      where key = ${$[`${name}Key`]}::text and ${maySpend} and exists (select from ${name}_left)${spentShares(shareNames)}`
  const sharedPart = (name: 'shared' | 'network', level: string, before: string) => `${name} as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$[`${name}Key`]}::text, ${$[`${name}Count`]}::float8 - 1, ${now}
      where ${$[`${name}Key`]}::text is not null and (select is_open from gate)
        and (${$.intervalKey}::text is null or exists (select from begun))${before}
      on conflict (key) do update set tokens = ${level} - 1, refilled_at = ${later}
      where ${level} >= 1
      returning key
    )`
  return `waiting as (
      select (1 - b.tokens) * ${$.intervalSeconds}::float8 - ${elapsed} as seconds, true as is_own from ${buckets} b
      where key = ${$.intervalKey}::text and ${intervalLevel} < 1
      union all
      select (1 - ${sharedLevel}) * ${$.sharedSeconds}::float8 / ${$.sharedCount}::float8, false from ${buckets} b
      where key = ${$.sharedKey}::text and ${sharedLevel} < 1
      union all
      select (1 - ${networkLevel}) * ${$.sharedSeconds}::float8 / ${$.networkCount}::float8, false from ${buckets} b
      where key = ${$.networkKey}::text and ${networkLevel} < 1
    ), requests_left as (
      select ${levelOf('requests')} as tokens from ${buckets} b
      where key = ${$.requestsKey}::text and not exists (select from waiting) for update
    ), budget_left as (
      select ${levelOf('budget')} as tokens from ${buckets} b
      where key = ${$.budgetKey}::text and not exists (select from waiting)
        and (select count(*) from requests_left) >= 0 for update
    ), shares_left as (
      select s.place, s.count, least(s.count, b.tokens + ${elapsed} * s.per_second) as tokens
      from (values ${shareNames
        .map(
          (name, at) =>
            `(${at + 1}, ${$[`${name}Key`]}::text, ${$[`${name}Count`]}::float8, ${$[`${name}PerSecond`]}::float8)`,
        )
        .join(', ')}) as s (place, key, count, per_second)
      join ${buckets} b on b.key = s.key and (select count(*) from budget_left) >= 0
      order by s.place for update of b
    ), gate as (
      select ${condition} and not exists (select from waiting) and ${isWithin('requests')} and ${isWithin('budget')}
        and not exists (select from shares_left where tokens < 1) as is_open
    ), begun as (
      insert into ${buckets} as b (key, tokens, refilled_at)
      select ${$.intervalKey}::text, 0, ${now} where ${$.intervalKey}::text is not null and (select is_open from gate)
      on conflict (key) do update set tokens = 0, refilled_at = ${later} where ${intervalLevel} >= 1
      returning key
    ), ${sharedPart('shared', sharedLevel, '')}, ${sharedPart(
      'network',
      networkLevel,
      ` and (${$.sharedKey}::text is null or exists (select from shared))`,
    )}, new_requests as (${inserted('requests', ' and not exists (select from requests_left)', enough.requests)}
    ), new_budget as (${inserted(
      'budget',
      ` and not exists (select from budget_left) and ${isHeld('requests')}`,
      enough.budget,
    )}
    ), ${shareNames.map(insertShare).join(', ')}, known_budget as (${updateHeld('budget')}
      returning tokens
    ), budget as (
      select tokens from new_budget union all select tokens from known_budget
    ), known_requests as (${updateHeld('requests')}
        and (not ${isUsed('budget')} or exists (select from budget))
      returning tokens
    ), requests as (
      select tokens from new_requests union all select tokens from known_requests
    ), spent as (
      select (select max(seconds) from waiting) as wait_seconds,
        exists (select from waiting where is_own) or ((select is_open from gate)
          and ${$.intervalKey}::text is not null and not exists (select from begun)) as is_own_wait,
        (select is_open from gate) and (not (${hasBegun}) or (
          (not ${isUsed('budget')} or exists (select from budget))
          and (not ${isUsed('requests')} or exists (select from requests)))) as within_budget,
        not exists (select from shares_left where tokens < 1) as within_share,
        (select tokens from budget) as budget_left,
        (select is_open from gate) and ${hasBegun}
          and (not ${isUsed('budget')} or exists (select from budget))
          and (not ${isUsed('requests')} or exists (select from requests))${spentShares(shareNames)} as allowed
    )`
}

/** Spends nothing. */
const unlimitedText: PreconditionText<SpentRow> = (_sql, _$, condition = 'true') =>
  `spent as (
      select null::float8 as wait_seconds, false as is_own_wait, ${condition} as within_budget, true as within_share,
        null::float8 as budget_left, ${condition} as allowed
    )`

/** The row of `spent`. */
export interface SpentRow {
  wait_seconds: number | null
  /** Whether the interval of the client itself rejects the request. */
  is_own_wait: boolean
  within_budget: boolean
  within_share: boolean
  /** The rest of the budget; null where nothing was spent. */
  budget_left: number | null
  allowed: boolean
}

/**
 * Returns the limit that rejects a message: its interval, the shared budget, or the client's share.
 */
export function rejectingLimit({
  wait_seconds,
  within_budget,
  within_share,
  allowed,
}: SpentRow): 'interval' | 'budget' | 'share' | null {
  if (allowed) return null
  // The loser of a race for an interval reads the rows from before the other one, so it has no wait.
  if (wait_seconds !== null || within_budget) return 'interval'
  return within_share ? 'budget' : 'share'
}

/**
 * Rejects a request that exceeds its limits.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429).
 */
export function requireAllowed(
  spent: SpentRow,
  { interval, budget }: SendLimits,
  kind: 'email' | 'sms',
): void {
  const limit = rejectingLimit(spent)
  if (limit === null) return
  if (limit === 'interval')
    throw sentTooRecently(kind, spent.wait_seconds ?? interval?.seconds ?? 0)
  const rate = limit === 'budget' ? budget?.rate : budget?.shares.at(-1)?.rate
  const { count = 0, perSeconds = 3600 } = rate ?? {}
  throw overSendRateLimit(kind, count > 0 ? perSeconds / count : perSeconds)
}
