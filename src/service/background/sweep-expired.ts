import { sweepAudit } from '../../accounts/audit/audit-entries.sql.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { sweepFactors } from '../../accounts/factors/factors.sql.ts'
import { sessionLimits } from '../../accounts/sessions/session-limits.ts'
import { sweepSessions } from '../../accounts/sessions/sessions.sql.ts'
import { giveUpWaitingMessages, sweepOutbox } from '../../delivery/outbox/outbox-messages.sql.ts'
import { smsCodeLifetimeSeconds } from '../../delivery/sms/open-sms-carrier.ts'
import { longestLimitSeconds } from '../../limits/longest-limit.ts'
import { sweepBuckets, sweepPasswordAttempts } from '../../limits/sweep-limits.sql.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import { nilUuid, timeOrderedUuid } from '../../platform/kit/uuid.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { sweepExpiredRows } from '../../platform/sql/delete-rows.sql.ts'
import { builtInCapabilities } from '../capabilities.ts'
import { sweepAnonymousUsers } from './sweep-anonymous-users.ts'

const everyMs = 60_000
const keptMs = 24 * 60 * 60 * 1000
const rowsAtOnce = 500

/**
 * Tables whose rows are kept for a day after their expiry, so that a late request gets a specific
 * error.
 */
const keptForADay = [
  sweepExpiredRows('one_time_tokens'),
  sweepExpiredRows('authorization_codes'),
  sweepExpiredRows('challenges'),
  sweepExpiredRows('spent_id_tokens', 'token_hash'),
  sweepExpiredRows('spent_wallet_messages', 'message_hash'),
]

/** Tables whose rows have no use after their expiry. Any client can cause rows of the first two. */
const notKept = [
  sweepExpiredRows('oauth_states'),
  sweepExpiredRows('web_authn_challenges'),
  sweepExpiredRows('decisions'),
  ...builtInCapabilities.flatMap(({ sweeps }) => sweeps),
]

const upkeeps = builtInCapabilities.flatMap(({ upkeep }) => upkeep ?? [])

/** The deletion of expired rows. */
export interface Sweeping {
  isDue(): boolean
  /**
   * Deletes expired rows until none is left or the time is over. Does nothing while it is running.
   *
   * @returns the number of deleted rows.
   */
  sweep(withinMs: number): Promise<number>
}

/**
 * Creates the deletion, in small batches, of rows that expired a day ago or are past their
 * retention, of limits that are full again, of sessions that ended a week ago, and of inactive
 * anonymous users. Every instance runs it; rows that another one has locked are skipped, so there
 * is no leader.
 */
export function createSweeping(deps: Deps): Sweeping {
  const turnOfUsers = sweepAnonymousUsers(deps)
  const turnOfSessions = sweepEndedSessions(deps)
  let isSweeping = false
  let begunAt: Date | null = null
  const failed = (error: unknown): void =>
    deps.logger.warn({ fault: describeFault(error) }, 'expired rows not deleted')
  return {
    isDue: () => isOlder(begunAt, everyMs, deps.clock.now()),
    sweep: async (withinMs) => {
      if (isSweeping) return 0
      isSweeping = true
      begunAt = deps.clock.now()
      try {
        const until = performance.now() + withinMs
        const ofUsers = deps.config.anonymousUsers.staleAfterSeconds > 0 ? [turnOfUsers()] : []
        const tables = [...sweepsOf(deps), turnOfSessions(), ...ofUsers]
        const swept = await sweepAll(tables, until, failed)
        for (const upkeep of upkeeps) await upkeep(deps).catch(failed)
        return swept
      } finally {
        isSweeping = false
      }
    },
  }
}

/**
 * Sweeps once a minute.
 *
 * @param isSweeping whether this process does so at present.
 * @returns the function that ends it.
 */
export function sweepEveryMinute({ sweep }: Sweeping, isSweeping: () => boolean): () => void {
  const timer = setInterval(() => {
    if (isSweeping()) void sweep(everyMs)
  }, everyMs).unref()
  return () => clearInterval(timer)
}

/** Returns the sweeps of this time. */
function sweepsOf(deps: Deps): Sweep[] {
  const { clock, database, config, logger } = deps
  const { sql } = database
  const now = clock.now()
  const databaseNow = deps.databaseNow()
  const before = new Date(now.getTime() - keptMs)
  const settledBefore = new Date(before.getTime() - 6 * keptMs)
  const waitingSince = new Date(now.getTime() - 14 * keptMs)
  const { email, auditLog } = config
  const { retentionSeconds } = auditLog
  const longestTokenSeconds = Math.max(email.otpLifetimeSeconds, smsCodeLifetimeSeconds(deps))
  // The retention may be longer than the time since 1970.
  const longAgo = (seconds: number) => new Date(Math.max(0, now.getTime() - seconds * 1000))
  const fullBuckets = {
    idleSeconds: longestLimitSeconds(config),
    triesIdleSeconds: Math.max(longestTokenSeconds, longestLimitSeconds(config)),
    databaseNow,
  }
  const sweeps: Sweep[] = [
    (limit) => sweepBuckets(sql, { ...fullBuckets, limit }),
    (limit) => sweepPasswordAttempts(sql, { idleSeconds: keptMs / 1000, databaseNow, limit }),
    ...keptForADay.map(
      (sweep): Sweep =>
        (limit) =>
          sweep(sql, { expiredSince: before, databaseNow, limit }),
    ),
    ...notKept.map(
      (sweep): Sweep =>
        (limit) =>
          sweep(sql, { expiredSince: now, databaseNow, limit }),
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
 * Sweeps in rounds until no row is left or the time is over. Rows may accumulate faster than one
 * round a minute deletes them, and neither a large table nor a failing one delays the others.
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

/**
 * Deletes at most this number of rows.
 *
 * @returns the number of deleted rows, and whether there may be more; after a plain number, there
 *   may be more where it equals the limit.
 */
type Sweep = (limit: number) => Promise<number | { deleted: number; hasMore: boolean }>

/**
 * Pages that are read in a pass, not counting those of which most sessions had ended. A million
 * live sessions take an hour.
 */
const pagesAtOnce = 40

/**
 * The time for which an ended session is kept: reuse of its refresh tokens is detected until then.
 */
const endedSessionKeptMs = 7 * 24 * 60 * 60 * 1000

/** Where every other first pass begins: among sessions of this age, in which most have ended. */
const firstPassMs = 4 * endedSessionKeptMs

/**
 * Returns the place where a process begins. Ids sort by time, except those of imported sessions.
 * After a random place among the latter, the oldest sessions follow.
 */
function firstPlace({ clock, random }: Pick<Deps, 'clock' | 'random'>): string {
  if (Number.parseInt(random.hex(1), 16) % 2 === 0) return random.uuid()
  const age = (Number.parseInt(random.hex(4), 16) / 2 ** 32) * firstPassMs
  return timeOrderedUuid(new Date(clock.now().getTime() - age))
}

/**
 * Deletes sessions that ended a week ago, with the rows that depend on them. A pass continues where
 * the previous one stopped, the first one at a random place, so that processes read different
 * sessions.
 *
 * @returns a function that starts a pass, which sweeps a page at a time.
 */
function sweepEndedSessions({ clock, config, database, random }: Deps): () => Sweep {
  let after = firstPlace({ clock, random })
  return () => {
    const limits = sessionLimits(
      config.sessions,
      new Date(clock.now().getTime() - endedSessionKeptMs),
    )
    let pagesLeft = pagesAtOnce
    let hasBegunAgain = false
    return async (limit) => {
      const { deleted, next } = await sweepSessions(database.sql, limits, { after, limit })
      after = next ?? nilUuid
      if (deleted < limit / 2) pagesLeft -= 1
      const isComplete = next === null && hasBegunAgain
      hasBegunAgain ||= next === null
      return { deleted, hasMore: !isComplete && pagesLeft > 0 }
    }
  }
}
