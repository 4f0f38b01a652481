import { auditActions } from '../../accounts/audit/actions.ts'
import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/** The kinds of activity that the overview shows. `active_users` has one row for each day. */
const activityKinds = ['sign_ins', 'sign_ups', 'failures', 'messages', 'active_users'] as const

export type ActivityKind = (typeof activityKinds)[number]

/** The kind of the row that states when the counts were made: in minutes since 1970. */
const lastCount = 'last_count'

const claim = statement<
  { minute: number; notAfter: number; epoch: string },
  { previous: number | null }
>(
  'claim_activity_count',
  (sql, $) => `
    with stored as (
      select occurrences from ${sql.table('activity_counts')}
      where kind = '${lastCount}' and hour = ${$.epoch}::timestamptz
    )
    insert into ${sql.table('activity_counts')} as c (kind, hour, occurrences)
    values ('${lastCount}', ${$.epoch}::timestamptz, ${$.minute})
    on conflict (kind, hour) do update set occurrences = excluded.occurrences
      where c.occurrences <= ${$.notAfter}
    returning (select occurrences from stored) as previous`,
)

/**
 * Claims the next count, which is due this many minutes after the last one: one of several
 * instances makes it.
 *
 * @returns the time of the last count, null before the first; undefined where none is due.
 */
export async function claimActivityCount(
  sql: Queryable,
  now: Date,
  everyMinutes: number,
): Promise<Date | null | undefined> {
  const minute = Math.floor(now.getTime() / 60_000)
  const epoch = new Date(0).toISOString()
  const [claimed] = await sql.query(claim, { minute, notAfter: minute - everyMinutes, epoch })
  if (!claimed) return undefined
  return claimed.previous === null ? null : new Date(claimed.previous * 60_000)
}

interface Span {
  from: Date
  until: Date
}

const { login, user_signedup: signedUp, failed_sign_in: failed } = auditActions

/** Ids sort by time, so the primary key finds the rows of a span. */
const count = statement<{ first: string; last: string }>(
  'count_activity',
  (sql, $) => `
    insert into ${sql.table('activity_counts')} (kind, hour, occurrences)
    select kind, hour, sum(occurrences)::int from (
      select case action when ${login.number} then 'sign_ins' when ${signedUp.number} then 'sign_ups'
          else 'failures' end as kind,
        date_trunc('hour', created_at) as hour, coalesce(occurrences, 1) as occurrences
      from ${sql.table('audit_entries')}
      where id >= ${$.first} and id < ${$.last}
        and action in (${login.number}, ${signedUp.number}, ${failed.number})
      union all
      select 'messages', date_trunc('hour', created_at), 1 from ${sql.table('outbox_messages')}
      where id >= ${$.first} and id < ${$.last} and channel not in ('events', 'user_hook')
    ) events
    group by kind, hour
    on conflict (kind, hour) do update set occurrences = excluded.occurrences`,
  { unprepared: 'it runs every few minutes' },
)

/** Counts the events of whole hours. A repeated count has the same result. */
export async function countActivity(sql: Queryable, { from, until }: Span): Promise<void> {
  await sql.query(count, { first: firstUuidAt(from), last: firstUuidAt(until) })
}

const countUsers = statement<{ day: string }>(
  'count_active_users',
  (sql, $) => `
    insert into ${sql.table('activity_counts')} as c (kind, hour, occurrences)
    select 'active_users', ${$.day}::timestamptz, count(distinct user_id)::int
    from ${sql.table('sessions')}
    where refreshed_at >= ${$.day}::timestamptz or created_at >= ${$.day}::timestamptz
    on conflict (kind, hour) do update
      set occurrences = greatest(c.occurrences, excluded.occurrences)`,
  { unprepared: 'it runs once an hour' },
)

/**
 * Counts the users whose sessions were opened or refreshed since the beginning of a day. Sessions
 * that ended since then are part of an earlier count of the day only.
 */
export async function countActiveUsers(sql: Queryable, day: Date): Promise<void> {
  await sql.query(countUsers, { day: day.toISOString() })
}

const deleteOld = statement<{ before: string; limit: number }>(
  'sweep_activity_counts',
  (sql, $) => `
    delete from ${sql.table('activity_counts')} where (kind, hour) in (
      select kind, hour from ${sql.table('activity_counts')}
      where hour < ${$.before} and kind <> '${lastCount}' limit ${$.limit})`,
  { unprepared: 'it runs every few minutes' },
)

export async function deleteOldCounts(sql: Queryable, before: Date): Promise<void> {
  await sql.query(deleteOld, { before: before.toISOString(), limit: 1_000 })
}

export type DayOfActivity = { day: string } & Record<ActivityKind, number>

const find = statement<{ since: string }, { day: string; kind: ActivityKind; total: number }>(
  'find_activity',
  (sql, $) => `
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, kind, sum(occurrences)::int as total
    from ${sql.table('activity_counts')}
    where hour >= ${$.since} and kind <> '${lastCount}' group by 1, 2 order by 1`,
)

/** Returns the activity of the last days, the oldest first, also of days without any. */
export async function findActivity(
  sql: Queryable,
  now: Date,
  days: number,
): Promise<DayOfActivity[]> {
  const today = startOfDay(now)
  const starts = Array.from({ length: days }, (_, at) => addDays(today, at - days + 1))
  const rows = await sql.query(find, { since: (starts[0] ?? today).toISOString() })
  return starts.map((start) => {
    const day = start.toISOString().slice(0, 10)
    const counts = Object.fromEntries(
      activityKinds.map((kind) => [
        kind,
        rows.find((row) => row.day === day && row.kind === kind)?.total ?? 0,
      ]),
    ) as Record<ActivityKind, number>
    return { day, ...counts }
  })
}

/** Returns the beginning of a day in UTC. */
export const startOfDay = (at: Date): Date => new Date(`${at.toISOString().slice(0, 10)}T00:00:00Z`)

const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * 86_400_000)
