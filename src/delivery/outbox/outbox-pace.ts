import { mailsAtOnce } from '../carriers/carrier.ts'
import type { Channel } from './message.ts'

/** The time of one attempt. */
export interface AttemptPace {
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

export const usualPace: OutboxPace = {
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
export const frozenPace: OutboxPace = { ...usualPace, attemptMs: frozenAttemptMs, leaseMs: 30_000 }

/** Returns the time of an attempt in each channel. */
export function attemptPaces(
  pace: OutboxPace,
  smsTimeoutMs: number,
): (channel: Channel) => AttemptPace {
  const smsPace = paceOfSms(pace, smsTimeoutMs)
  return (channel) => (channel === 'sms' ? smsPace : pace)
}

/** An SMS is retried after its carrier's time limit: its code is valid for a minute by default. */
const paceOfSms = (pace: AttemptPace, timeoutMs: number): AttemptPace => {
  const attemptMs = Math.min(pace.attemptMs, timeoutMs + 5_000)
  return { attemptMs, leaseMs: Math.min(pace.leaseMs, attemptMs + 20_000) }
}
