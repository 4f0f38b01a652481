import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'

/** The periods in which statements had no result because the database was unavailable. */
export interface OutageWatch {
  /** Returns a `Queryable` whose statements are watched. */
  watch(sql: Queryable): Queryable
  /**
   * Returns the time without results: of the outage that continues, and of those that ended within
   * the last minute. Clients that retried during an outage have returned by then.
   */
  lostMs(): number
}

/** Clients of the wire protocol retry for half a minute, and again half a minute later. */
const returningMs = 60_000
/** A statement without a result for this time belongs to an outage. */
const slowMs = 5_000

/** @param now returns monotonic milliseconds, since a clock that is set would make outages. */
export function watchOutages(now: () => number = () => performance.now()): OutageWatch {
  /** The running statements, the oldest first. */
  const running = new Set<{ startedAt: number }>()
  /** Outages that have ended. They do not overlap. */
  let ended: { from: number; to: number }[] = []
  /** The start of the first statement that failed since the last success; null for none. */
  let since: number | null = null
  /** The end of the last statement that failed. */
  let failedAt = 0
  /** Statements that fail while others succeed make no outage: clients can cause them. */
  let succeededAt = Number.NEGATIVE_INFINITY

  const failed = (startedAt: number) => {
    // Nothing is known about a longer time without statements.
    if (since !== null && startedAt - failedAt > returningMs) since = null
    since = Math.min(since ?? startedAt, startedAt)
    failedAt = now()
  }
  const succeeded = () => {
    const at = now()
    if (since !== null) {
      const to = Math.min(at, failedAt + returningMs)
      ended = ended.filter((one) => at - one.to <= returningMs)
      ended.push({ from: Math.max(since, succeededAt), to })
      since = null
    }
    succeededAt = at
  }
  return {
    watch: (sql) => ({
      table: sql.table,
      query: async (statement, values) => {
        const one = { startedAt: now() }
        running.add(one)
        try {
          const rows = await sql.query(statement, values)
          succeeded()
          return rows
        } catch (error) {
          if (isUnavailable(error)) failed(one.startedAt)
          throw error
        } finally {
          running.delete(one)
        }
      },
    }),
    lostMs: () => {
      const at = now()
      const [oldest] = running
      const pendingFrom = oldest && at - oldest.startedAt > slowMs ? oldest.startedAt : at
      const isPending = since === null || pendingFrom < at
      const until = isPending ? at : Math.min(at, failedAt + returningMs)
      const from = Math.max(Math.min(since ?? at, pendingFrom), succeededAt)
      const recent = ended.filter(({ to }) => at - to <= returningMs)
      return Math.max(0, until - from) + recent.reduce((sum, one) => sum + one.to - one.from, 0)
    },
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AuthError && error.code === 'service_unavailable'
