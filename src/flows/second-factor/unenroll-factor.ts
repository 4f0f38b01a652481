import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { removeFactor } from '../../factors/remove-factor.sql.ts'
import { factorMethods } from '../../sessions/assurance.ts'
import { strongSessionNeededToUnenroll } from '../../sessions/session-errors.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, needsStepUp, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { requireOwnFactor, requireSessionId } from './own-factor.ts'

/**
 * Removes one of the caller's factors. Sessions that it proved stay, at `aal1`.
 *
 * @returns the id of the factor.
 * @throws AuthError `session_not_found`, `no_authorization` (403), `mfa_factor_not_found`,
 *   `validation_failed` for a malformed id (404), `insufficient_aal` (422) for a verified factor in a
 *   session that did not show one.
 */
export async function unenrollFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
): Promise<string> {
  const { id, note, isTold } = await withLockedUser(ctx, caller.user.id, async (tx) =>
    remove(tx, await requireCaller(tx, caller.claims), factorId),
  )
  note.log()
  tellEvents(ctx)
  if (isTold) ctx.outbox.wake()
  return id
}

async function remove(ctx: AuthContext, caller: Caller, factorId: string) {
  const { id, status, factorType } = requireOwnFactor(caller, factorId)
  const sessionId = requireSessionId(caller)
  if (status === 'verified' && needsStepUp(caller)) throw strongSessionNeededToUnenroll()
  const { user } = caller
  const notices = factorNotice(ctx, 'mfaFactorUnenrolled', user, factorType)
  const removed = happened('factor.removed', { factor_id: id, factor_type: factorType })
  const news = eventRows(ctx, user.id, status === 'verified' ? [removed] : [])
  const traits = { factor_id: id, factor_status: status, session_id: sessionId }
  const note = auditNote(ctx, { action: 'factor_unenrolled', actorId: user.id, traits })
  await removeFactor(ctx.sql, {
    userId: user.id,
    factorId: id,
    methods: factorMethods,
    messageRows: joinRows(rowsOf('outbox_messages', ...outboxRows(ctx, notices)), news),
    auditRows: note.rows,
  })
  return { id, note, isTold: notices.length > 0 }
}
