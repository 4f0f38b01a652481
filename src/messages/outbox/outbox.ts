import { setTimeout as sleep } from 'node:timers/promises'
import { describeFault } from '../../observability/describe-fault.ts'
import type { Telemetry } from '../../observability/telemetry.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { claimMessages } from './claim-messages.sql.ts'
import { type DeliveryNeeds, deliverMessage } from './deliver-message.ts'
import { createLanes } from './lanes.ts'
import type { OutboxRow } from './outbox-row.ts'
import { type Outcome, settleMessage } from './settle-message.sql.ts'

export interface OutboxNeeds extends DeliveryNeeds {
  sql: Queryable
  telemetry?: Telemetry | null
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

/** How the outbox spends its time. */
export interface OutboxPace {
  /** How often we look for what another instance left, or what is to be tried again. */
  pollMs: number
  /** How many messages of a channel are on their way at a time. */
  atOnce: number
  /** The most that one attempt may take. */
  attemptMs: number
  /**
   * How long a claimed message is ours: the attempt, and time to record what came of it. It is tried
   * again only when its sender is gone.
   */
  leaseMs: number
  /** Pauses after which we try again to record what came of an attempt, while the database is away. */
  settlePausesMs: readonly number[]
}

const usualPace: OutboxPace = {
  pollMs: 5_000,
  atOnce: 10,
  attemptMs: 45_000,
  leaseMs: 60_000,
  settlePausesMs: [250, 500, 1_000, 2_000, 4_000],
}

/** Starts the instance's share of the sending. Any number of instances send side by side. */
export function openOutbox(needs: OutboxNeeds, pace: OutboxPace = usualPace): Outbox {
  const { sql, clock, logger, telemetry } = needs
  const lanes = createLanes(pace.atOnce)
  const sending = new Set<Promise<void>>()
  let isClosed = false
  let isAskedAgain = false
  let claiming: Promise<void> | null = null

  const settle = async (row: OutboxRow, outcome: Outcome): Promise<void> => {
    for (const pauseMs of [...pace.settlePausesMs, null]) {
      try {
        return await settleMessage(sql, row, outcome, clock.now())
      } catch (error) {
        if (pauseMs === null || isClosed) throw error
        await sleep(pauseMs)
      }
    }
  }

  const deliver = async (row: OutboxRow): Promise<Outcome> => {
    if (!telemetry) return deliverMessage(needs, row, pace.attemptMs)
    const attributes = { 'auth.channel': row.channel, 'auth.message.kind': row.kind }
    const step = { name: `send ${row.channel}`, attributes, kind: 'client' } as const
    return telemetry.run(step, async (span) => {
      const outcome = await deliverMessage(needs, row, pace.attemptMs)
      const result = outcome.status === 'waiting' ? 'retried' : outcome.status
      span.set({ 'auth.message.attempt': row.attempts, 'auth.result': result })
      if (result !== 'sent') span.fail(result)
      telemetry.count('auth.messages', { ...attributes, 'auth.result': result })
      return outcome
    })
  }

  const send = async (row: OutboxRow): Promise<void> => {
    try {
      await settle(row, await deliver(row))
    } catch (error) {
      // Its lease ends, and it is tried again: a message that was sent is then sent twice.
      const { id, channel, kind } = row
      const fields = { message: { id, channel, kind }, fault: describeFault(error) }
      logger.warn(fields, 'what came of a message was not recorded')
    }
  }

  const start = (row: OutboxRow): void => {
    const running = send(row).finally(() => {
      sending.delete(running)
      if (lanes.leave(row.channel)) wake()
    })
    sending.add(running)
  }

  const claim = async (): Promise<void> => {
    while (isAskedAgain && !isClosed) {
      isAskedAgain = false
      const vacancies = lanes.vacancies()
      if (vacancies.length === 0) return
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + pace.leaseMs)
      const rows = await claimMessages(sql, { now, vacancies, leaseUntil })
      lanes.enter(vacancies, rows)
      rows.forEach(start)
    }
  }

  const wake = (): void => {
    isAskedAgain = true
    if (claiming || isClosed) return
    // What a request set off goes on after it, for whoever's messages are due.
    claiming = (telemetry ? telemetry.detached(claim) : claim())
      .catch((error) => logger.warn({ fault: describeFault(error) }, 'outbox was not read'))
      .finally(() => {
        claiming = null
        // Somebody may have asked after the last look, while this one was ending.
        if (isAskedAgain && lanes.vacancies().length > 0) wake()
      })
  }

  const atRest = async (): Promise<void> => {
    while (claiming || sending.size > 0) await Promise.all([claiming, ...sending])
  }

  const timer = setInterval(wake, pace.pollMs).unref()
  wake()

  return {
    wake,
    settled: () => {
      wake()
      return atRest()
    },
    close: () => {
      isClosed = true
      clearInterval(timer)
      return atRest()
    },
  }
}
