import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import {
  type AnonymousUsersCursor,
  deleteStaleAnonymousUsers,
  findStaleAnonymousUsers,
  type Staleness,
} from '../../accounts/lifecycle/sweep-anonymous-users.sql.ts'
import { isError } from '../../platform/kit/is-error.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'

/** The pages that are read in one pass. There may be many old users that are still active. */
const pagesAtOnce = 20

const beginning: AnonymousUsersCursor = { createdAt: '-infinity', id: nilUuid }

/**
 * Deletes anonymous users that were inactive for the configured time. A pass continues where the
 * previous one ended. Users that rows of the host refer to are skipped.
 *
 * @returns a function that starts a pass, which deletes a page at a time, and returns the limit
 *   while there is more to do.
 */
export function sweepAnonymousUsers(deps: Deps): () => (limit: number) => Promise<number> {
  let after = beginning
  return () => {
    let pagesLeft = pagesAtOnce
    const staleness = stalenessAt(deps)
    return async (limit) => {
      const { staleIds, next } = await findStaleAnonymousUsers(deps.database.sql, staleness, {
        after,
        limit,
      })
      // Set first, so that a page that cannot be deleted does not delay the others.
      after = next ?? beginning
      pagesLeft -= 1
      const wasSwept = await deleteAll(deps, staleness, staleIds)
      return next && wasSwept && pagesLeft > 0 ? limit : 0
    }
  }
}

/** An access token outlives the last use of its session. */
function stalenessAt({ clock, config }: Deps): Staleness {
  const now = clock.now()
  const idleSeconds = Math.max(config.anonymousUsers.staleAfterSeconds, config.jwt.lifetimeSeconds)
  return { now, idleSince: new Date(Math.max(0, now.getTime() - idleSeconds * 1000)) }
}

/**
 * Returns whether all were deleted. Where rows of the host refer to one of them, the others are
 * deleted one by one.
 */
async function deleteAll(deps: Deps, staleness: Staleness, ids: string[]): Promise<boolean> {
  if (await deleteSome(deps, staleness, ids)) return true
  let kept = 0
  for (const id of ids) {
    if (!(await deleteSome(deps, staleness, [id]))) kept += 1
  }
  // A concurrent sweep may have locked them: it reports them.
  if (kept > 0)
    deps.logger.warn(
      { kept },
      'inactive anonymous users not deleted: rows of the application refer to them',
    )
  return false
}

/** Returns false where rows of the host refer to one of them: then none is deleted. */
async function deleteSome(
  deps: Deps,
  staleness: Staleness,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return true
  const { sql } = deps.database
  try {
    await performAct(
      { ...deps, request: nowhere },
      { audit: ids.map(deletionOf) },
      ({ auditRows }) => deleteStaleAnonymousUsers(sql, staleness, { ids, auditRows }),
      (deleted) => ({ reached: new Set(deleted) }),
    )
    return true
  } catch (error) {
    if (isReferredTo(error)) return false
    throw error
  }
}

const nowhere = { id: null, ip: null, userAgent: null }

const deletionOf = (userId: string): AuditEvent => ({
  action: 'user_deleted',
  userId,
  traits: { reason: 'stale' },
})

/** @see PostgreSQL documentation, appendix A: `foreign_key_violation`, `restrict_violation` */
const isReferredTo = (error: unknown): boolean =>
  isError(error) && 'code' in error && (error.code === '23503' || error.code === '23001')
