import { sweepAudit } from '../audit/sweep-audit.sql.ts'
import type { Deps } from '../deps.ts'
import { sweepFactors } from '../factors/sweep-factors.sql.ts'
import type { Queryable } from '../kit/queryable.ts'
import { sweepLimits } from '../limits/sweep-limits.sql.ts'
import { sweepOutbox } from '../messages/outbox/sweep-outbox.sql.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { sweepOneTimeTokens } from '../one-time-tokens/sweep-one-time-tokens.sql.ts'

const everyMs = 60_000
const keptMs = 24 * 60 * 60 * 1000
const rowsAtOnce = 500

/**
 * Deletes, once a minute and a few at a time, what expired a day ago, and what was kept for its time.
 * Every instance does; rows that another one is at are passed over, so there is no leader.
 *
 * @returns what ends it.
 */
export function sweepExpired(deps: Deps): () => void {
  const timer = setInterval(() => {
    sweep(deps).catch((error) =>
      deps.logger.warn({ fault: describeFault(error) }, 'expired rows were not swept'),
    )
  }, everyMs).unref()
  return () => clearInterval(timer)
}

async function sweep({ clock, database, config }: Deps): Promise<void> {
  const { sql } = database
  const now = clock.now()
  const before = new Date(now.getTime() - keptMs)
  await sweepLimits(sql, { idleSince: before, limit: rowsAtOnce })
  await sweepOneTimeTokens(sql, { expiredSince: before, limit: rowsAtOnce })
  const settledBefore = new Date(before.getTime() - 6 * keptMs)
  // Messages and challenges may come faster than one round a minute takes them away.
  while ((await sweepFactors(sql, { expiredSince: before, limit: rowsAtOnce })) === rowsAtOnce);
  while ((await sweepOutbox(sql, { settledBefore, limit: rowsAtOnce })) === rowsAtOnce);
  await sweepAuditLog(sql, now, config.auditLog.retentionSeconds)
}

/** So that years of entries, once a retention is set, are not all deleted in one go. */
const auditRounds = 100

async function sweepAuditLog(sql: Queryable, now: Date, retentionSeconds: number): Promise<void> {
  if (retentionSeconds === 0) return
  // A retention may be longer than there has been time.
  const before = new Date(Math.max(0, now.getTime() - retentionSeconds * 1000))
  for (let round = 0; round < auditRounds; round += 1) {
    if ((await sweepAudit(sql, { before, limit: rowsAtOnce })) < rowsAtOnce) return
  }
}
