import { setImmediate as afterResponses, setTimeout as sleep } from 'node:timers/promises'
import { isOlder } from '../../platform/kit/clock.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { mailsAtOnce } from '../carriers/carrier.ts'
import { createChannelSlots } from './channel-slots.ts'
import { type Claim, claimMessages } from './claim-messages.sql.ts'
import { type DeliveryNeeds, deliverMessage } from './deliver-message.ts'
import type { Channel } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'
import { createSettling } from './settle-in-batches.ts'
import { type DeliveryOutcome, settleMessages } from './settle-messages.sql.ts'

export interface OutboxNeeds extends DeliveryNeeds {
  sql: Queryable
  telemetry?: Telemetry | null
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

/** The results of messages in a period. */
export interface Deliveries {
  sent: number
  /** To be retried. */
  retried: number
  /** Failed finally. */
  failed: number
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

/** The time of one attempt. */
interface AttemptPace {
  /** The time limit of one attempt. */
  attemptMs: number
  /**
   * The duration of a claim: the attempt, and time to record its result. The message is retried
   * after that only if its sender has died.
   */
  leaseMs: number
}

/** The timing of the outbox. */
export interface OutboxPace extends AttemptPace {
  /** The interval of queries for messages of other instances, or for retries. */
  pollMs: number
  /** The number of slots per channel. */
  atOnce: number
  /** The maximum number of slots for mails. */
  mailsAtOnce: number
  /**
   * The number of new messages per channel that this process claims beyond its slots. They wait in
   * memory, which saves a query and a change of indexed columns for each message of a burst.
   */
  claimedBeyond: number
  /** The pauses between attempts to record a result while the database is unavailable. */
  settlePausesMs: readonly number[]
}

/** The interval of searches for messages of processes that ended before they delivered them. */
const searchMs = 5_000
/**
 * Such a search is for messages that were stored since this time before the last one: statements
 * take time, and clocks differ. The first search, and each until slots are free, is for all.
 */
const searchedMs = 900_000

const usualPace: OutboxPace = {
  pollMs: 5_000,
  atOnce: 10,
  mailsAtOnce,
  claimedBeyond: 45,
  attemptMs: 45_000,
  leaseMs: 60_000,
  settlePausesMs: [250, 500, 1_000, 2_000, 4_000],
}

/** The time limit of one attempt in a process that is suspended between requests. */
export const frozenAttemptMs = 20_000

/** An attempt ends, and its result is recorded, before a host's limit for `waitUntil`. */
const frozenPace: OutboxPace = { ...usualPace, attemptMs: frozenAttemptMs, leaseMs: 30_000 }

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
  const smsPace = paceOfSms(pace, needs.smsTimeoutMs)
  const paceOf = (channel: Channel): AttemptPace => (channel === 'sms' ? smsPace : pace)
  const leaseMsOf = (channel: Channel) => paceOf(channel).leaseMs
  const slotsOf = (channel: Channel): number =>
    channel === 'email' ? Math.min(pace.atOnce, pace.mailsAtOnce) : pace.atOnce
  const slots = createChannelSlots(slotsOf, pace.claimedBeyond)
  const sending = new Set<Promise<void>>()
  let isClosed = false
  let isQueryRequested = false
  let claiming: Promise<void> | null = null
  let queriedAt: Date | null = null
  let searchedAt: Date | null = null
  let areAllSearched = false
  /**
   * Whether the last search found messages, or had no slots for more: the next query repeats it.
   */
  let areMoreAbandoned = false
  let fault: unknown = null
  /** The end of the period for queries: none if the process stays alive. */
  let openUntil = onWake ? 0 : Number.POSITIVE_INFINITY
  const isOpen = (): boolean => performance.now() < openUntil
  const delivered: Deliveries = { sent: 0, retried: 0, failed: 0 }

  const settle = createSettling({
    record: (ended) => settleMessages(sql, ended, clock.now()),
    pausesMs: pace.settlePausesMs,
    isClosed: () => isClosed,
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

  const send = async (row: OutboxRow): Promise<void> => {
    try {
      const outcome = await attempt(row)
      delivered[outcome.status === 'waiting' ? 'retried' : outcome.status] += 1
      await settle({ row, outcome })
    } catch (error) {
      warnOfUnrecorded(row, error)
    }
  }

  /** The lease ends, and the message is retried: one that was sent is then sent twice. */
  const warnOfUnrecorded = ({ id, channel, kind }: OutboxRow, error: unknown): void => {
    const fields = { message: { id, channel, kind }, fault: describeFault(error) }
    logger.warn(fields, 'message result was not recorded')
  }

  /** Keeps the work in `sending` until it ends. */
  const start = (work: Promise<void>): void => {
    const running = work.finally(() => sending.delete(running))
    sending.add(running)
  }

  const sendInSlot = async (row: OutboxRow): Promise<void> => {
    await send(row)
    if (slots.leave(row.channel)) requestQuery()
  }

  /** Returns the start of the search for messages of ended processes; none before it is due. */
  const abandonedAt = (now: Date): Claim['abandoned'] => {
    if (!areMoreAbandoned && !isOlder(searchedAt, searchMs, now)) return undefined
    const last = Math.min(now.getTime(), searchedAt?.getTime() ?? 0)
    const since = areAllSearched ? new Date(last - searchedMs) : null
    return { since }
  }

  const claim = async (): Promise<void> => {
    while (isQueryRequested && !isClosed && isOpen()) {
      isQueryRequested = false
      const vacancies = slots.vacancies()
      if (vacancies.length === 0) return
      const now = clock.now()
      queriedAt = now
      const abandoned = abandonedAt(now)
      const { rows, areAbandoned } = await claimMessages(sql, {
        now,
        vacancies,
        leaseMsOf,
        abandoned,
      })
      slots.enter(vacancies, rows)
      if (abandoned) {
        searchedAt = now
        areMoreAbandoned = areAbandoned || (areMoreAbandoned && slots.areCrowded())
        areAllSearched ||= !slots.areCrowded()
      }
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
    else await handBack(row)
  }

  /** Ends the claim of a message that got no slot in time: a query of any process finds it. */
  const handBack = async (row: OutboxRow): Promise<void> => {
    const nextAttemptAt = clock.now()
    const outcome = { status: 'waiting', error: null, nextAttemptAt, isDeferred: true } as const
    await settle({ row, outcome }).catch((error) => warnOfUnrecorded(row, error))
    requestQuery()
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
    const before = { ...delivered }
    openUntil = Math.max(openUntil, performance.now() + withinMs)
    fault = null
    requestQuery()
    await withinTime(atRest(), withinMs, () => new Error('late')).catch(() => {})
    if (fault) throw fault
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

/** An SMS is retried after its carrier's time limit: its code is valid for a minute by default. */
const paceOfSms = (pace: AttemptPace, timeoutMs: number): AttemptPace => {
  const attemptMs = Math.min(pace.attemptMs, timeoutMs + 5_000)
  return { attemptMs, leaseMs: Math.min(pace.leaseMs, attemptMs + 20_000) }
}

const toClaimed = (row: OutboxRow): OutboxRow => ({
  ...row,
  status: 'sending',
  attempts: 1,
  next_attempt_at: null,
})
