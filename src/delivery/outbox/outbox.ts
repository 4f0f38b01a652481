import { setTimeout as sleep } from 'node:timers/promises'
import { isOlder } from '../../platform/kit/clock.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { createChannelSlots } from './channel-slots.ts'
import { claimMessages } from './claim-messages.sql.ts'
import { type DeliveryNeeds, deliverMessage } from './deliver-message.ts'
import type { OutboxRow } from './outbox-row.ts'
import { type DeliveryOutcome, settleMessage } from './settle-message.sql.ts'

export interface OutboxNeeds extends DeliveryNeeds {
  sql: Queryable
  telemetry?: Telemetry | null
  /**
   * Is told of each wake, where nothing goes on by itself: whoever hears of it has messages delivered.
   * Null where the outbox does.
   */
  onWake?: ((wake: Wake) => void) | null
}

/** What is known of whoever had messages stored. */
export interface Wake {
  /** Whether the answer must not tell, by the time that it takes, whether there is a message. */
  isConcealed?: boolean
}

/** What became of messages in some time. */
export interface Deliveries {
  sent: number
  /** To be tried again. */
  retried: number
  /** Given up. */
  failed: number
}

/** Sends what the table of the outbox holds, in the background. */
export interface Outbox {
  /** Looks for messages now rather than in a few seconds. Returns at once. */
  wake(wake?: Wake): void
  /** Whether it is time to look for what another instance left, or what is to be tried again. */
  isOverdue(): boolean
  /**
   * Delivers what is due, until nothing is left or the time is over; what is on its way then goes on.
   *
   * @returns what was delivered meanwhile, for whomever.
   * @throws what kept it from looking for messages.
   */
  deliver(withinMs: number): Promise<Deliveries>
  /** Ends with what is on its way; null where nothing is. */
  underWay(): Promise<void> | null
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

/** The most that one attempt may take in a process that is frozen between requests. */
export const frozenAttemptMs = 20_000

/** An attempt ends, and what came of it is recorded, before a host takes back what `waitUntil` was given. */
const frozenPace: OutboxPace = { ...usualPace, attemptMs: frozenAttemptMs, leaseMs: 30_000 }

/**
 * Starts the instance's share of the sending. Any number of instances send side by side.
 *
 * Where wakes are heard by somebody, it has no timer, and looks for messages while `deliver` runs alone.
 */
export function openOutbox(
  needs: OutboxNeeds,
  pace: OutboxPace = needs.onWake ? frozenPace : usualPace,
): Outbox {
  const { sql, clock, logger, telemetry, onWake = null } = needs
  const slots = createChannelSlots(pace.atOnce)
  const sending = new Set<Promise<void>>()
  let isClosed = false
  let isAskedAgain = false
  let claiming: Promise<void> | null = null
  let lookedAt: Date | null = null
  let fault: unknown = null
  /** Until when messages are looked for: without an end where the process stays alive. */
  let openUntil = onWake ? 0 : Number.POSITIVE_INFINITY
  const delivered: Deliveries = { sent: 0, retried: 0, failed: 0 }

  const settle = async (row: OutboxRow, outcome: DeliveryOutcome): Promise<void> => {
    for (const pauseMs of [...pace.settlePausesMs, null]) {
      try {
        return await settleMessage(sql, row, outcome, clock.now())
      } catch (error) {
        if (pauseMs === null || isClosed) throw error
        await sleep(pauseMs)
      }
    }
  }

  const attempt = async (row: OutboxRow): Promise<DeliveryOutcome> => {
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
      const outcome = await attempt(row)
      delivered[outcome.status === 'waiting' ? 'retried' : outcome.status] += 1
      await settle(row, outcome)
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
      if (slots.leave(row.channel)) look()
    })
    sending.add(running)
  }

  const claim = async (): Promise<void> => {
    while (isAskedAgain && !isClosed && performance.now() < openUntil) {
      isAskedAgain = false
      const vacancies = slots.vacancies()
      if (vacancies.length === 0) return
      const now = clock.now()
      lookedAt = now
      const leaseUntil = new Date(now.getTime() + pace.leaseMs)
      const rows = await claimMessages(sql, { now, vacancies, leaseUntil })
      slots.enter(vacancies, rows)
      rows.forEach(start)
    }
  }

  const look = (): void => {
    isAskedAgain = true
    if (claiming || isClosed || performance.now() >= openUntil) return
    // What a request set off goes on after it, for whoever's messages are due.
    claiming = (telemetry ? telemetry.detached(claim) : claim())
      .catch((error) => {
        fault = error
        logger.warn({ fault: describeFault(error) }, 'outbox was not read')
      })
      .finally(() => {
        claiming = null
        // Somebody may have asked after the last look, while this one was ending.
        if (isAskedAgain && slots.vacancies().length > 0) look()
      })
  }

  const atRest = async (): Promise<void> => {
    while (claiming || sending.size > 0) await Promise.all([claiming, ...sending])
  }

  const deliver = async (withinMs: number): Promise<Deliveries> => {
    const before = { ...delivered }
    openUntil = Math.max(openUntil, performance.now() + withinMs)
    fault = null
    look()
    await withinTime(atRest(), withinMs, () => new Error('late')).catch(() => {})
    if (fault) throw fault
    return {
      sent: delivered.sent - before.sent,
      retried: delivered.retried - before.retried,
      failed: delivered.failed - before.failed,
    }
  }

  const timer = onWake ? null : setInterval(look, pace.pollMs).unref()
  if (!onWake) look()

  return {
    wake: (wake = {}) => (onWake ? onWake(wake) : look()),
    isOverdue: () => isOlder(lookedAt, pace.pollMs, clock.now()),
    deliver,
    underWay: () => (claiming || sending.size > 0 ? atRest() : null),
    settled: () => {
      openUntil = Math.max(openUntil, performance.now() + pace.attemptMs)
      look()
      return atRest()
    },
    close: () => {
      isClosed = true
      if (timer) clearInterval(timer)
      return atRest()
    },
  }
}
