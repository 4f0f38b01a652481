import { containing, prefixUpperBound } from '../../platform/sql/like-pattern.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { matchesFilter } from './find-users.sql.ts'

/** The users to count. */
export interface CountedUsers {
  audience: string
  /** A part of the address or name; null for all. */
  filter: string | null
  /** The beginning of the address; null for all. */
  emailPrefix: string | null
}

/** The number of users that are counted exactly. */
const maxCounted = 10_000

type Conditions = { audience: string }
type PrefixConditions = Conditions & { fromEmail: string; toEmail: string }
type FilterConditions = Conditions & { pattern: string }
type Limited = { limit: number }
type Counted = { total: number }
type Planned = { 'QUERY PLAN': unknown }

const inAudience = (sql: TableFragments, $: Placeholders<Conditions>): string =>
  `from ${sql.table('users')} u where u.audience = ${$.audience}`

const withPrefix = (sql: TableFragments, $: Placeholders<PrefixConditions>): string =>
  `${inAudience(sql, $)} and u.email >= ${$.fromEmail} and u.email < ${$.toEmail}`

const withFilter = (sql: TableFragments, $: Placeholders<FilterConditions>): string =>
  `${inAudience(sql, $)} and ${matchesFilter($.pattern)}`

const countAll = statement<Conditions & Limited, Counted>(
  'count_users_at_most',
  (sql, $) =>
    `select count(*)::int as total from (select 1 ${inAudience(sql, $)} limit ${$.limit}) counted`,
)

/** The order leads to the index: without it, the planner expects to find the rows by a scan. */
const countPrefix = statement<PrefixConditions & Limited, Counted>(
  'count_users_by_prefix_at_most',
  (sql, $) => `
    select count(*)::int as total from (
      (select 1 ${withPrefix(sql, $)} and not u.is_sso_user order by u.email limit ${$.limit})
      union all (select 1 ${withPrefix(sql, $)} and u.is_sso_user order by u.email limit ${$.limit})
      limit ${$.limit}
    ) counted`,
)

const planned = { unprepared: 'it returns a plan for its values' }

const planAll = statement<Conditions, Planned>(
  'estimate_users',
  (sql, $) => `explain (format json) select 1 ${inAudience(sql, $)}`,
  planned,
)

const planPrefix = statement<PrefixConditions, Planned>(
  'estimate_users_by_prefix',
  (sql, $) => `explain (format json) select 1 ${withPrefix(sql, $)}`,
  planned,
)

const planFilter = statement<FilterConditions, Planned>(
  'estimate_filtered_users',
  (sql, $) => `explain (format json) select 1 ${withFilter(sql, $)}`,
  planned,
)

/**
 * Estimates the number of users in a time that does not depend on it. Up to 10,000 users without a
 * filter it is exact; above, and with a filter, it is the estimate of the database's planner.
 */
export async function estimateUsers(
  sql: Queryable,
  { audience, filter, emailPrefix }: CountedUsers,
): Promise<number> {
  const limit = maxCounted + 1
  if (filter !== null) {
    return rowsOfPlan(await sql.query(planFilter, { audience, pattern: containing(filter) }))
  }
  if (emailPrefix === null) {
    const [counted] = await sql.query(countAll, { audience, limit })
    if ((counted?.total ?? 0) <= maxCounted) return counted?.total ?? 0
    return Math.max(limit, rowsOfPlan(await sql.query(planAll, { audience })))
  }
  const toEmail = prefixUpperBound(emailPrefix)
  const values = { audience, fromEmail: emailPrefix, toEmail }
  const [counted] = await sql.query(countPrefix, { ...values, limit })
  if ((counted?.total ?? 0) <= maxCounted) return counted?.total ?? 0
  return Math.max(limit, rowsOfPlan(await sql.query(planPrefix, values)))
}

/** Returns the number of rows that a plan expects. */
function rowsOfPlan([row]: Planned[]): number {
  const plan = row?.['QUERY PLAN']
  const [root] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [
    { Plan?: { 'Plan Rows'?: number } },
  ]
  return root.Plan?.['Plan Rows'] ?? 0
}
