import type { Clock } from '../../kit/clock.ts'
import type { RootKeys } from '../../kit/derived-keys.ts'
import type { Queryable } from '../../kit/queryable.ts'
import { describeFault } from '../../observability/describe-fault.ts'
import type { Logger } from '../../observability/logger.ts'
import { claimMessages } from './claim-messages.sql.ts'
import { deliverMessage } from './deliver-message.ts'
import type { Carriers } from './message.ts'
import { settleMessage } from './settle-message.sql.ts'

export interface OutboxNeeds {
  sql: Queryable
  clock: Clock
  roots: RootKeys
  carriers: Carriers
  logger: Logger
}

/** Sends what the table of the outbox holds, in the background. */
export interface Outbox {
  /** Looks for messages now rather than in a few seconds. Returns at once. */
  wake(): void
  /** Resolves when nothing that is due is left to send. */
  settled(): Promise<void>
  /** Takes no more messages, and waits for those on their way. */
  close(): Promise<void>
}

/** How often we look for what another instance left, or what is to be tried again. */
const pollMs = 5_000
const batchSize = 10

/** Longer than any attempt takes: a message is tried again only when its sender is gone. */
const leaseMs = 60_000

/** Starts the instance's share of the sending. Any number of instances send side by side. */
export function openOutbox(needs: OutboxNeeds): Outbox {
  const { sql, clock, logger } = needs
  let isClosed = false
  let isAskedAgain = false
  let running: Promise<void> | null = null

  const deliver = async (): Promise<number> => {
    const now = clock.now()
    const leaseUntil = new Date(now.getTime() + leaseMs)
    const rows = await claimMessages(sql, { now, leaseUntil, limit: batchSize })
    const attempts = rows.map(async (row) => {
      const outcome = await deliverMessage(needs, row)
      await settleMessage(sql, row.id, outcome, clock.now())
    })
    await Promise.all(attempts)
    return rows.length
  }

  const run = async (): Promise<void> => {
    do {
      isAskedAgain = false
      while (!isClosed && (await deliver()) > 0);
    } while (isAskedAgain && !isClosed)
  }

  const wake = (): void => {
    isAskedAgain = true
    if (running || isClosed) return
    running = run()
      // What was claimed and not settled comes back once its lease is over.
      .catch((error) => logger.warn({ fault: describeFault(error) }, 'outbox was not read'))
      .finally(() => {
        running = null
      })
  }

  const timer = setInterval(wake, pollMs).unref()
  wake()

  return {
    wake,
    settled: async () => {
      wake()
      while (running) await running
    },
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}
