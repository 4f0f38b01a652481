import type { Clock } from '../../platform/kit/clock.ts'
import type { GaugeReading, Telemetry } from '../../platform/observability/telemetry.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { channels } from './message.ts'
import { type Backlog, findBacklog } from './outbox-messages.sql.ts'

/** How long one query's result is used: both metrics are from the same. */
const freshMs = 1000

interface Needs {
  sql: Queryable
  clock: Clock
  /** Whether this process reports the messages, which are those of all. Default: true. */
  isWatching?: () => boolean
}

/** Reads the waiting messages when metrics are collected, by one statement. */
export function watchOutbox(
  { sql, clock, isWatching = () => true }: Needs,
  telemetry: Telemetry | null,
): void {
  if (!telemetry) return
  let looked: { at: number; backlog: Promise<Backlog[] | null> } | undefined
  const look = (): Promise<Backlog[] | null> => {
    if (!looked || performance.now() - looked.at > freshMs) {
      looked = { at: performance.now(), backlog: findBacklog(sql).catch(() => null) }
    }
    return looked.backlog
  }
  const read =
    (figure: (backlog: Backlog | undefined) => number) => async (): Promise<GaugeReading[]> => {
      if (!isWatching()) return []
      const backlogs = await look()
      // While the database is unavailable the number is unknown: 0 would be wrong.
      if (!backlogs) return []
      return channels.map((channel) => ({
        value: figure(backlogs.find((one) => one.channel === channel)),
        attributes: { 'auth.channel': channel },
      }))
    }
  telemetry.observe(
    'auth.outbox.messages',
    read((backlog) => backlog?.messages ?? 0),
  )
  telemetry.observe(
    'auth.outbox.oldest_age',
    read((backlog) =>
      backlog ? Math.max(0, (clock.now().getTime() - backlog.oldestAt.getTime()) / 1000) : 0,
    ),
  )
}
