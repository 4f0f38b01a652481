import type { Deps } from '../deps.ts'
import { sweepFactors } from '../factors/sweep-factors.sql.ts'
import { sweepLimits } from '../limits/sweep-limits.sql.ts'
import { sweepOutbox } from '../messages/outbox/sweep-outbox.sql.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { sweepOneTimeTokens } from '../one-time-tokens/sweep-one-time-tokens.sql.ts'

const everyMs = 60_000
const keptMs = 24 * 60 * 60 * 1000
const rowsAtOnce = 500

/**
 * Deletes, once a minute and a few at a time, what expired a day ago. Every instance does; rows that
 * another one is at are passed over, so there is no leader.
 *
 * @returns what ends it.
 */
export function sweepExpired({ clock, database, logger }: Deps): () => void {
  const timer = setInterval(() => {
    const before = new Date(clock.now().getTime() - keptMs)
    sweep(database, before).catch((error) =>
      logger.warn({ fault: describeFault(error) }, 'expired rows were not swept'),
    )
  }, everyMs).unref()
  return () => clearInterval(timer)
}

async function sweep({ sql }: Deps['database'], before: Date): Promise<void> {
  await sweepLimits(sql, { idleSince: before, limit: rowsAtOnce })
  await sweepOneTimeTokens(sql, { expiredSince: before, limit: rowsAtOnce })
  await sweepFactors(sql, { expiredSince: before, limit: rowsAtOnce })
  const settledBefore = new Date(before.getTime() - 6 * keptMs)
  // Messages may come faster than one round a minute takes them away.
  while ((await sweepOutbox(sql, { settledBefore, limit: rowsAtOnce })) === rowsAtOnce);
}
