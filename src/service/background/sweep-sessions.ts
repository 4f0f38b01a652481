import type { Deps } from '../../accounts/auth-context.ts'
import { sessionLimits } from '../../accounts/sessions/session-limits.ts'
import { sweepSessions } from '../../accounts/sessions/sessions.sql.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'

/**
 * Deletes at most this number of rows.
 *
 * @returns the number of deleted rows, and whether there may be more; after a plain number, there
 *   may be more where it equals the limit.
 */
export type Sweep = (limit: number) => Promise<number | { deleted: number; hasMore: boolean }>

/**
 * Pages that are read in a pass, not counting those of which most sessions had ended. A million
 * live sessions take an hour.
 */
const pagesAtOnce = 40

/**
 * The time for which an ended session is kept: reuse of its refresh tokens is detected until then.
 */
const keptMs = 7 * 24 * 60 * 60 * 1000

/**
 * Deletes sessions that ended a week ago, with the rows that depend on them. A pass continues where
 * the previous one stopped, the first one at a random place, so that instances read different
 * sessions.
 *
 * @returns a function that starts a pass, which sweeps a page at a time.
 */
export function sweepEndedSessions({ clock, config, database, random }: Deps): () => Sweep {
  let after = random.uuid()
  return () => {
    const limits = sessionLimits(config.sessions, new Date(clock.now().getTime() - keptMs))
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
