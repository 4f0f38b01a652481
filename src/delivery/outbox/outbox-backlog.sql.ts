import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Channel } from './message.ts'

/** The number of a channel's waiting messages, and the time of the oldest. */
export interface Backlog {
  channel: Channel
  messages: number
  oldestAt: Date
}

const count = statement<
  Record<never, never>,
  { channel: Channel; messages: string | number; oldest_at: string }
>(
  'count_backlog',
  (sql) => `
    select channel, count(*) as messages, min(created_at) as oldest_at
    from ${sql.table('outbox_messages')} where next_attempt_at is not null group by channel`,
)

/** Returns the messages that wait or are being sent, by channel. */
export async function findBacklog(sql: Queryable): Promise<Backlog[]> {
  const rows = await sql.query(count, {})
  return rows.map(({ channel, messages, oldest_at }) => ({
    channel,
    messages: Number(messages),
    oldestAt: new Date(oldest_at),
  }))
}
