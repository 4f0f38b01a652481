import { outboxRows } from '../../delivery/messages/outbox-rows.ts'
import type { MessageOrder } from '../../delivery/outbox/outbox-row.ts'
import { joinRows, noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Decision } from '../decisions/decision.ts'
import { type DomainEvent, eventRows } from './event-rows.ts'

/** A security-relevant action on an account, with all that it leaves behind. */
export interface Act {
  /** The audit entries. */
  audit: AuditEvent | readonly AuditEvent[]
  /** Events for the application, about one user. */
  events?: { userId: string; events: readonly DomainEvent[] }
  /** Notification mails that are switched on. */
  notices?: readonly MessageOrder[]
  /** The decision that `latchkey why` reports, where the response does not name it. */
  decision?: Decision
}

/** The rows of an act, for the statement that performs it. */
export interface ActRows {
  auditRows: Rows<'audit_entries'>
  messageRows: Rows<'outbox_messages'>
}

/** The rows of an act, and its completion. */
export interface ActRecord extends ActRows {
  /**
   * Writes the log, wakes delivery and notes the decision, after the commit.
   *
   * @param actorId the user who acted, where only the statement returned it.
   */
  complete(actorId?: string): void
}

/**
 * Records an act, for statements whose result decides later whether it took place. {@link performAct} completes by
 * itself and is preferred.
 */
export function recordAct(
  ctx: AuthContext,
  { audit, events, notices = [], decision }: Act,
): ActRecord {
  const note = auditNote(ctx, ...[audit].flat())
  const noticeRows = rowsOf('outbox_messages', ...outboxRows(ctx, notices))
  const messageRows = joinRows(
    noticeRows,
    events ? eventRows(ctx, events.userId, events.events) : noRows,
  )
  return {
    auditRows: note.rows,
    messageRows,
    complete: (actorId) =>
      ctx.afterCommit(() => {
        note.log(actorId)
        if (messageRows !== noRows) ctx.outbox.wake()
        if (decision) ctx.request.decided(decision)
      }),
  }
}

/**
 * Performs an act: the statement stores its rows, and its records are completed after the commit.
 *
 * @param statement stores both kinds of rows.
 * @param tookPlace whether the result of the statement means that the act took place. By default any result but `null`
 *   and `false` does.
 */
export async function performAct<T>(
  ctx: AuthContext,
  act: Act,
  statement: (rows: ActRows) => Promise<T>,
  tookPlace: (result: T) => boolean = (result) => result !== null && result !== false,
): Promise<T> {
  const { complete, ...rows } = recordAct(ctx, act)
  const result = await statement(rows)
  if (tookPlace(result)) complete()
  return result
}
