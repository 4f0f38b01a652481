import { setImmediate as afterResponses, setTimeout as sleep } from 'node:timers/promises'
import { isOlder } from '../../platform/kit/clock.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { createAbandonedSearch } from './abandoned-search.ts'
import { createChannelSlots } from './channel-slots.ts'
import { claimMessages } from './claim-messages.sql.ts'
import type { Channel } from './message.ts'
import { createMessageSender, type Deliveries, type SenderNeeds } from './message-sender.ts'
import { attemptPaces, frozenPace, type OutboxPace, usualPace } from './outbox-pace.ts'
import type { OutboxRow } from './outbox-row.ts'

export interface OutboxNeeds extends SenderNeeds {
  /**
   * Called at each wake if the process has no background work: the listener runs the delivery. Null
   * if the outbox runs it.
   */
  onWake?: ((wake: Wake) => void) | null
  /**
   * Whether this process queries for messages of other instances and for retries. Default: true.
   */
  isPolling?: () => boolean
  /** The time limit of an SMS carrier. */
  smsTimeoutMs: number
  /** Returns the pause before the delivery of a concealed message. Default: none. */
  concealingPauseMs?: () => number
}

/** Properties of the request that stored messages. */
export interface Wake {
  /** Whether the response time must not disclose whether there is a message. */
  isConcealed?: boolean
}

/**
 * Messages that are about to be stored, in the form in which they have to be stored. One of the
 * functions has to be called. Both return at once; a second call has no effect.
 */
export interface NewMessages {
  rows: readonly OutboxRow[]
  /** Delivers the messages, which were stored. */
  deliver(): void
  /** Releases the slots of the messages, which were not stored. */
  release(): void
}

/** Delivers the messages of the outbox table in the background. */
export interface Outbox {
  /**
   * Claims new messages for this process before they are stored, so that it delivers them without
   * a query. If this process ends, another one finds them after the lease. Messages that have to
   * wait for others are stored unclaimed, and found by a query.
   *
   * A claimed message has no time of an attempt, so that its result changes no indexed column.
   *
   * @returns null if the process has no background work: the messages are found at the next wake.
   */
  claimNew(rows: readonly OutboxRow[], wake?: Wake): NewMessages | null
  /** Queries for messages now instead of in a few seconds. Returns at once. */
  wake(wake?: Wake): void
  /** Reports whether to query for messages of other instances, or for retries. */
  isOverdue(): boolean
  /**
   * Delivers messages that are due, until none is left or the time is over; running attempts then
   * continue.
   *
   * @returns the deliveries meanwhile, for all requests.
   * @throws the error that prevented the query.
   */
  deliver(withinMs: number): Promise<Deliveries>
  /** Resolves with the running deliveries; null if there are none. */
  underWay(): Promise<void> | null
  /** Resolves when no message is due. */
  settled(): Promise<void>
  /** Claims no more messages, and waits for those in delivery. */
  close(): Promise<void>
}

/**
 * Starts the delivery of an instance. Any number of instances run concurrently.
 *
 * If `onWake` is set, it has no timer, and queries for messages only during `deliver`.
 */
export function openOutbox(
  needs: OutboxNeeds,
  pace: OutboxPace = needs.onWake ? frozenPace : usualPace,
): Outbox {
  const { sql, clock, logger, telemetry, onWake = null, isPolling = () => true } = needs
  const { concealingPauseMs = () => 0 } = needs
  const paceOf = attemptPaces(pace, needs.smsTimeoutMs)
  const leaseMsOf = (channel: Channel) => paceOf(channel).leaseMs
  const slotsOf = (channel: Channel): number =>
    channel === 'email' ? Math.min(pace.atOnce, pace.mailsAtOnce) : pace.atOnce
  const slots = createChannelSlots(slotsOf, pace.claimedBeyond)
  const sending = new Set<Promise<void>>()
  const search = createAbandonedSearch()
  let isClosed = false
  let isQueryRequested = false
  let claiming: Promise<void> | null = null
  let queriedAt: Date | null = null
  let fault: unknown = null
  /** The end of the period for queries: none if the process stays alive. */
  let openUntil = onWake ? 0 : Number.POSITIVE_INFINITY
  const isOpen = (): boolean => performance.now() < openUntil

  const sender = createMessageSender(needs, paceOf, {
    pausesMs: pace.settlePausesMs,
    isClosed: () => isClosed,
  })

  /** Keeps the work in `sending` until it ends. */
  const start = (work: Promise<void>): void => {
    const running = work.finally(() => sending.delete(running))
    sending.add(running)
  }

  const sendInSlot = async (row: OutboxRow): Promise<void> => {
    await sender.send(row)
    if (slots.leave(row.channel)) requestQuery()
  }

  const claim = async (): Promise<void> => {
    while (isQueryRequested && !isClosed && isOpen()) {
      isQueryRequested = false
      const vacancies = slots.vacancies()
      if (vacancies.length === 0) return
      const now = clock.now()
      queriedAt = now
      const abandoned = search.due(now)
      const { rows, areAbandoned } = await claimMessages(sql, {
        now,
        vacancies,
        leaseMsOf,
        abandoned,
      })
      slots.enter(vacancies, rows)
      if (abandoned) search.finish(now, areAbandoned, slots.areCrowded())
      for (const row of rows) start(sendInSlot(row))
    }
  }

  /**
   * Sends a message that this process has claimed before it was stored. The delivery delays the
   * next request by half a millisecond, so a client could derive from its response whether there is
   * a message. Under load, other work conceals it.
   */
  const sendNew = async (row: OutboxRow, { isConcealed = false }: Wake): Promise<void> => {
    // The response to the request is sent first.
    await afterResponses()
    const pauseMs = isConcealed && sending.size <= pace.atOnce / 2 ? concealingPauseMs() : 0
    if (pauseMs > 0) await sleep(pauseMs)
    // After that the attempt might end after the lease, and another process repeat it.
    const { leaseMs, attemptMs } = paceOf(row.channel)
    const latestMs = new Date(row.created_at).getTime() + leaseMs - attemptMs
    const withinMs = latestMs - clock.now().getTime()
    if (await slots.enterClaimed(row.channel, withinMs)) await sendInSlot(row)
    else {
      await sender.handBack(row)
      requestQuery()
    }
  }

  /** Delivery is not part of the trace of one request, since it sends messages of all. */
  const inBackground = <T>(work: () => T): T => (telemetry ? telemetry.detached(work) : work())

  const requestQuery = (): void => {
    isQueryRequested = true
    if (claiming || isClosed || !isOpen()) return
    claiming = inBackground(claim)
      .catch((error) => {
        fault = error
        logger.warn({ fault: describeFault(error) }, 'outbox was not read')
      })
      .finally(() => {
        claiming = null
        // A wake may have occurred after the last query, while this one was ending.
        if (isQueryRequested && slots.vacancies().length > 0) requestQuery()
      })
  }

  const atRest = async (): Promise<void> => {
    while (claiming || sending.size > 0) await Promise.all([claiming, ...sending])
  }

  const deliver = async (withinMs: number): Promise<Deliveries> => {
    const before = sender.deliveries()
    openUntil = Math.max(openUntil, performance.now() + withinMs)
    fault = null
    requestQuery()
    await withinTime(atRest(), withinMs, () => new Error('late')).catch(() => {})
    if (fault) throw fault
    const delivered = sender.deliveries()
    return {
      sent: delivered.sent - before.sent,
      retried: delivered.retried - before.retried,
      failed: delivered.failed - before.failed,
    }
  }

  const poll = (): void => {
    if (isPolling()) requestQuery()
  }
  const timer = onWake ? null : setInterval(poll, pace.pollMs).unref()
  if (!onWake) poll()

  const releaseSlot = ({ channel }: OutboxRow): void => {
    if (slots.release(channel)) requestQuery()
  }
  const claimNew = (rows: readonly OutboxRow[], wake: Wake): NewMessages => {
    const own: OutboxRow[] = []
    const isFree = !isClosed && rows.every((row) => slots.claim(row.channel) && own.push(row))
    if (!isFree) for (const { channel } of own) slots.release(channel)
    const mustWait = !isFree || (rows.length === 0 && slots.areCrowded())
    const claimed = isFree ? rows.map(toClaimed) : rows
    let isFinished = false
    const finish = (finishOne: (row: OutboxRow) => void): void => {
      if (isFinished) return
      isFinished = true
      if (mustWait) requestQuery()
      else for (const row of claimed) finishOne(row)
    }
    return {
      rows: claimed,
      deliver: () => finish((row) => inBackground(() => start(sendNew(row, wake)))),
      release: () => finish(releaseSlot),
    }
  }

  return {
    claimNew: (rows, wake = {}) => (onWake ? null : claimNew(rows, wake)),
    wake: (wake = {}) => (onWake ? onWake(wake) : requestQuery()),
    isOverdue: () => isOlder(queriedAt, pace.pollMs, clock.now()),
    deliver,
    underWay: () => (claiming || sending.size > 0 ? atRest() : null),
    settled: () => {
      openUntil = Math.max(openUntil, performance.now() + pace.attemptMs)
      requestQuery()
      return atRest()
    },
    close: () => {
      isClosed = true
      slots.close()
      if (timer) clearInterval(timer)
      return atRest()
    },
  }
}

const toClaimed = (row: OutboxRow): OutboxRow => ({
  ...row,
  status: 'sending',
  attempts: 1,
  next_attempt_at: null,
})
