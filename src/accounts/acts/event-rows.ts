import { newOutboxRow } from '../../delivery/outbox/outbox-row.ts'
import type {
  AuthEvent,
  AuthEventData,
  AuthEventType,
  EndedSessions,
} from '../../platform/config/sections/hooks.ts'
import { noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { AuthContext } from '../auth-context.ts'
import type { SessionRow } from '../sessions/session.ts'

/** What has happened to a user. */
export type DomainEvent = {
  [Type in AuthEventType]: Pick<Extract<AuthEvent, { type: Type }>, 'type' | 'data'>
}[AuthEventType]

export const event = <Type extends AuthEventType>(
  type: Type,
  data: AuthEventData[Type],
): DomainEvent => ({ type, data }) as DomainEvent

/**
 * The rows that tell the application what happens, for the statement that makes it happen; none where it does not listen.
 * They hold ids alone, and outlive the user.
 */
export function eventRows(
  ctx: AuthContext,
  userId: string,
  events: readonly DomainEvent[],
): Rows<'outbox_messages'> {
  if (!ctx.config.hooks.events.enabled || events.length === 0) return noRows
  const now = ctx.clock.now()
  const rows = events.map((content) => {
    const { type } = content
    const message = { channel: 'events', content } as const
    const order = { message, kind: type, recipient: userId, userId: null, expiresAt: null }
    return newOutboxRow(ctx, order, now, ctx.eventId(now))
  })
  return rowsOf('outbox_messages', ...rows)
}

/** Has what was stored just now told at once. */
export function deliverEvents(ctx: AuthContext): void {
  if (ctx.config.hooks.events.enabled) ctx.outbox.wake()
}

/** The row that tells of ended sessions. */
export const sessionsEndedRows = (
  ctx: AuthContext,
  userId: string,
  ended: EndedSessions,
): Rows<'outbox_messages'> => eventRows(ctx, userId, [event('session.ended', ended)])

/** What is told where a hook rejects an attempt, and with it who makes it. */
export const allRejected: EndedSessions = { scope: 'global', session_id: null, reason: 'rejected' }

/** The sessions that these rows open. */
export const sessionsOpened = (sessionRows: Rows<'sessions'> = noRows): DomainEvent[] =>
  (JSON.parse(sessionRows) as SessionRow[]).map(({ id, amr }) =>
    event('session.opened', { session_id: id, method: amr.at(0)?.method ?? '' }),
  )
