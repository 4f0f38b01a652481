import type {
  AuthEvent,
  AuthEventData,
  AuthEventType,
  EndedSessions,
} from '../config/sections/hooks.ts'
import type { AuthContext } from '../deps.ts'
import { newOutboxRow } from '../messages/outbox/outbox-row.ts'
import type { SessionRow } from '../sessions/session.ts'
import { noRows, type Rows, rowsOf } from '../sql/tables.ts'

/** What has happened to a user. */
export type Happening = {
  [Type in AuthEventType]: Pick<Extract<AuthEvent, { type: Type }>, 'type' | 'data'>
}[AuthEventType]

export const happened = <Type extends AuthEventType>(
  type: Type,
  data: AuthEventData[Type],
): Happening => ({ type, data }) as Happening

/**
 * The rows that tell the application what happens, for the statement that makes it happen; none where it does not listen.
 * They hold ids alone, and outlive the user.
 */
export function eventRows(
  ctx: AuthContext,
  userId: string,
  happenings: readonly Happening[],
): Rows<'outbox_messages'> {
  if (!ctx.config.hooks.events.enabled || happenings.length === 0) return noRows
  const now = ctx.clock.now()
  const rows = happenings.map((content) => {
    const { type } = content
    const message = { channel: 'events', content } as const
    const order = { message, kind: type, recipient: userId, userId: null, expiresAt: null }
    return newOutboxRow(ctx, order, now, ctx.eventId(now))
  })
  return rowsOf('outbox_messages', ...rows)
}

/** Has what was stored just now told at once. */
export function tellEvents(ctx: AuthContext): void {
  if (ctx.config.hooks.events.enabled) ctx.outbox.wake()
}

/** The row that tells of ended sessions. */
export const rowsOfEnd = (
  ctx: AuthContext,
  userId: string,
  ended: EndedSessions,
): Rows<'outbox_messages'> => eventRows(ctx, userId, [happened('session.ended', ended)])

/** What is told where a hook rejects an attempt, and with it who makes it. */
export const allRejected: EndedSessions = { scope: 'global', session_id: null, reason: 'rejected' }

/** The sessions that these rows open. */
export const sessionsOpened = (sessionRows: Rows<'sessions'> = noRows): Happening[] =>
  (JSON.parse(sessionRows) as SessionRow[]).map(({ id, amr }) =>
    happened('session.opened', { session_id: id, method: amr.at(0)?.method ?? '' }),
  )
