import type { Deps } from '../../accounts/auth-context.ts'
import {
  claimActivityCount,
  countActiveUsers,
  countActivity,
  deleteOldCounts,
  startOfDay,
} from './activity.sql.ts'

const hourMs = 3_600_000
const everyMinutes = 5
/** The longest time that one count covers. A service that did not run had no activity. */
const maxSpanMs = 24 * hourMs
/** The time for which counts are kept. */
const keptMs = 400 * 24 * hourMs

/**
 * Counts the activity since the last count, for the overview. The hour before it is counted again:
 * entries of its last seconds may have been committed after it.
 */
export async function countRecentActivity({
  database: { sql },
  clock,
}: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  const now = clock.now()
  const last = await claimActivityCount(sql, now, everyMinutes)
  if (last === undefined) return
  const hour = startOfHour(now)
  const begin = last === null ? hour.getTime() - maxSpanMs : startOfHour(last).getTime() - hourMs
  const from = new Date(Math.max(begin, hour.getTime() - maxSpanMs))
  await countActivity(sql, { from, until: new Date(hour.getTime() + hourMs) })
  // A scan of the sessions: once an hour, for the day of the hour before.
  if (last === null || startOfHour(last) < hour) {
    await countActiveUsers(sql, startOfDay(last ?? now))
    await countActiveUsers(sql, startOfDay(now))
    await deleteOldCounts(sql, new Date(now.getTime() - keptMs))
  }
}

const startOfHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)
