import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type DeliveryNeeds, deliverMessage } from './deliver-message.ts'
import type { Channel } from './message.ts'
import type { AttemptPace } from './outbox-pace.ts'
import type { OutboxRow } from './outbox-row.ts'
import { createSettling, type SettlingOptions } from './settle-in-batches.ts'
import { type DeliveryOutcome, settleMessages } from './settle-messages.sql.ts'

/** The results of messages in a period. */
export interface Deliveries {
  sent: number
  /** To be retried. */
  retried: number
  /** Failed finally. */
  failed: number
}

/** Sends messages that this process has claimed, and records the results. */
export interface MessageSender {
  /** Never rejects: an unrecorded result is logged. */
  send(row: OutboxRow): Promise<void>
  /** Ends the claim of a message that got no slot in time: a query of any process finds it. */
  handBack(row: OutboxRow): Promise<void>
  /** Returns the results since the start. */
  deliveries(): Deliveries
}

export interface SenderNeeds extends DeliveryNeeds {
  sql: Queryable
  telemetry?: Telemetry | null
}

export function createMessageSender(
  needs: SenderNeeds,
  paceOf: (channel: Channel) => AttemptPace,
  settling: Omit<SettlingOptions, 'record'>,
): MessageSender {
  const { sql, clock, logger, telemetry } = needs
  const delivered: Deliveries = { sent: 0, retried: 0, failed: 0 }
  const settle = createSettling({
    ...settling,
    record: (ended) => settleMessages(sql, ended, clock.now()),
  })

  const attempt = async (row: OutboxRow): Promise<DeliveryOutcome> => {
    if (!telemetry) return deliverMessage(needs, row, paceOf(row.channel).attemptMs)
    const attributes = { 'auth.channel': row.channel, 'auth.message.kind': row.kind }
    const step = { name: `send ${row.channel}`, attributes, kind: 'client' } as const
    return telemetry.run(step, async (span) => {
      const outcome = await deliverMessage(needs, row, paceOf(row.channel).attemptMs)
      const result = outcome.status === 'waiting' ? 'retried' : outcome.status
      span.set({ 'auth.message.attempt': row.attempts, 'auth.result': result })
      if (result !== 'sent') span.fail(result)
      telemetry.count('auth.messages', { ...attributes, 'auth.result': result })
      return outcome
    })
  }

  /** The lease ends, and the message is retried: one that was sent is then sent twice. */
  const warnOfUnrecorded = ({ id, channel, kind }: OutboxRow, error: unknown): void => {
    const fields = { message: { id, channel, kind }, fault: describeFault(error) }
    logger.warn(fields, 'message result was not recorded')
  }

  return {
    send: async (row) => {
      try {
        const outcome = await attempt(row)
        delivered[outcome.status === 'waiting' ? 'retried' : outcome.status] += 1
        await settle({ row, outcome })
      } catch (error) {
        warnOfUnrecorded(row, error)
      }
    },
    handBack: async (row) => {
      const nextAttemptAt = clock.now()
      const outcome = { status: 'waiting', error: null, nextAttemptAt, isDeferred: true } as const
      await settle({ row, outcome }).catch((error) => warnOfUnrecorded(row, error))
    },
    deliveries: () => ({ ...delivered }),
  }
}
