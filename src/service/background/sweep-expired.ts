import { sweepAudit } from '../../accounts/audit/sweep-audit.sql.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { sweepFactors } from '../../accounts/factors/sweep-factors.sql.ts'
import { giveUpWaitingMessages, sweepOutbox } from '../../delivery/outbox/sweep-outbox.sql.ts'
import { longestLimitSeconds } from '../../limits/longest-limit.ts'
import { sweepBuckets, sweepPasswordAttempts } from '../../limits/sweep-limits.sql.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { sweepExpiredRows } from '../../platform/sql/sweep-expired-rows.sql.ts'
import { builtInCapabilities } from '../capabilities.ts'
import type { Sweep } from './sweep.ts'
import { sweepAnonymousUsers } from './sweep-anonymous-users.ts'
import { sweepEndedSessions } from './sweep-sessions.ts'

const everyMs = 60_000
const keptMs = 24 * 60 * 60 * 1000
const rowsAtOnce = 500

/** Kept for a day past their end, so that who comes too late can be told so. */
const keptForADay = [
  sweepExpiredRows('one_time_tokens'),
  sweepExpiredRows('authorization_codes'),
  sweepExpiredRows('challenges'),
  sweepExpiredRows('spent_id_tokens', 'token_hash'),
  sweepExpiredRows('spent_wallet_messages', 'message_hash'),
]

/** Of no use to anybody past its end; of the first two, anybody can have one made. */
const notKept = [
  sweepExpiredRows('oauth_states'),
  sweepExpiredRows('web_authn_challenges'),
  sweepExpiredRows('decisions'),
  ...builtInCapabilities.flatMap(({ sweeps }) => sweeps),
]

/** What deletes expired rows. */
export interface Sweeping {
  isDue(): boolean
  /**
   * Deletes what there is to delete, until nothing is left or the time is over. Not begun twice at a time.
   *
   * @returns how many rows were deleted.
   */
  sweep(withinMs: number): Promise<number>
}

/**
 * Deletes, a few at a time, what expired a day ago, what was kept for its time, limits that are full again, sessions that
 * ended a week ago, and anonymous users who do not come back.
 * Every instance does; rows that another one is at are passed over, so there is no leader.
 */
export function createSweeping(deps: Deps): Sweeping {
  const turnOfUsers = sweepAnonymousUsers(deps)
  const turnOfSessions = sweepEndedSessions(deps)
  let isSweeping = false
  let begunAt: Date | null = null
  const failed = (error: unknown): void =>
    deps.logger.warn({ fault: describeFault(error) }, 'expired rows were not swept')
  return {
    isDue: () => isOlder(begunAt, everyMs, deps.clock.now()),
    sweep: async (withinMs) => {
      if (isSweeping) return 0
      isSweeping = true
      begunAt = deps.clock.now()
      const until = performance.now() + withinMs
      const ofUsers = deps.config.anonymousUsers.staleAfterSeconds > 0 ? [turnOfUsers()] : []
      const swept = await sweepAll([...sweepsOf(deps), turnOfSessions(), ...ofUsers], until, failed)
      isSweeping = false
      return swept
    },
  }
}

/**
 * Sweeps once a minute.
 *
 * @returns what ends it.
 */
export function sweepEveryMinute({ sweep }: Sweeping): () => void {
  const timer = setInterval(() => void sweep(everyMs), everyMs).unref()
  return () => clearInterval(timer)
}

/** What there is to sweep at this moment. */
function sweepsOf({ clock, database, config, logger }: Deps): Sweep[] {
  const { sql } = database
  const now = clock.now()
  const before = new Date(now.getTime() - keptMs)
  const settledBefore = new Date(before.getTime() - 6 * keptMs)
  const waitingSince = new Date(now.getTime() - 14 * keptMs)
  const { email, sms, auditLog } = config
  const { retentionSeconds } = auditLog
  const longestTokenSeconds = Math.max(email.otpLifetimeSeconds, sms.otpLifetimeSeconds)
  // What is kept may be kept for longer than there has been time.
  const longAgo = (seconds: number) => new Date(Math.max(0, now.getTime() - seconds * 1000))
  const fullBuckets = {
    idleSince: longAgo(longestLimitSeconds(config)),
    triesIdleSince: longAgo(Math.max(longestTokenSeconds, longestLimitSeconds(config))),
  }
  const sweeps: Sweep[] = [
    (limit) => sweepBuckets(sql, { ...fullBuckets, limit }),
    (limit) => sweepPasswordAttempts(sql, { idleSince: before, limit }),
    ...keptForADay.map(
      (sweep): Sweep =>
        (limit) =>
          sweep(sql, { expiredSince: before, limit }),
    ),
    ...notKept.map(
      (sweep): Sweep =>
        (limit) =>
          sweep(sql, { expiredSince: now, limit }),
    ),
    (limit) => sweepFactors(sql, { expiredSince: before, limit }),
    (limit) => sweepOutbox(sql, { settledBefore, limit }),
    async (limit) => {
      const count = await giveUpWaitingMessages(sql, { before: waitingSince, now, limit })
      if (count > 0) logger.warn({ count }, 'messages given up after two weeks')
      return count
    },
  ]
  if (retentionSeconds === 0) return sweeps
  const kept = longAgo(retentionSeconds)
  return [...sweeps, (limit) => sweepAudit(sql, { before: kept, limit })]
}

/**
 * Sweeps in turns until nothing is left or the time is over: rows may come faster than one round a minute
 * takes them away, and a table with many of them keeps no other waiting. One that cannot be swept, neither.
 */
async function sweepAll(
  sweeps: readonly Sweep[],
  until: number,
  failed: (error: unknown) => void,
): Promise<number> {
  let unfinished = sweeps
  let swept = 0
  while (unfinished.length > 0 && performance.now() < until) {
    const next: Sweep[] = []
    for (const sweep of unfinished) {
      try {
        const result = await sweep(rowsAtOnce)
        const isCount = typeof result === 'number'
        swept += isCount ? result : result.deleted
        if (isCount ? result === rowsAtOnce : result.hasMore) next.push(sweep)
      } catch (error) {
        failed(error)
      }
    }
    unfinished = next
  }
  return swept
}
