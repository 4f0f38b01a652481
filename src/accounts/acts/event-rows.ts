import { newOutboxRow } from '../../delivery/outbox/outbox-row.ts'
import type {
  AuthEvent,
  AuthEventData,
  AuthEventType,
} from '../../platform/config/sections/hooks.ts'
import { noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { AuthContext } from '../auth-context.ts'
import type { SessionRow } from '../sessions/session.ts'

/** A fact about a user that the application receives after the commit. */
export type DomainEvent = {
  [Type in AuthEventType]: Pick<Extract<AuthEvent, { type: Type }>, 'type' | 'data'>
}[AuthEventType]

export const event = <Type extends AuthEventType>(
  type: Type,
  data: AuthEventData[Type],
): DomainEvent => ({ type, data }) as DomainEvent

/**
 * Returns the outbox rows of events; none where the application has no hook for them. They contain
 * ids only, and are kept after the user is deleted. Only `record-act.ts` calls it.
 *
 * @param userId the user; null where the statement that stores the rows determines it.
 */
export function eventRows(
  ctx: Pick<AuthContext, 'config' | 'clock' | 'eventId' | 'roots'>,
  userId: string | null,
  events: readonly DomainEvent[],
): Rows<'outbox_messages'> {
  if (!ctx.config.hooks.events.enabled || events.length === 0) return noRows
  const now = ctx.clock.now()
  const rows = events.map((content) => {
    const { type } = content
    const message = { channel: 'events', content } as const
    const order = { message, kind: type, recipient: userId ?? '', userId: null, expiresAt: null }
    return newOutboxRow(ctx, order, now, ctx.eventId(now))
  })
  return rowsOf('outbox_messages', ...rows)
}

/** The events of the sessions that these rows open. */
export const sessionsOpened = (sessionRows: Rows<'sessions'> = noRows): DomainEvent[] =>
  (JSON.parse(sessionRows) as SessionRow[]).map(({ id, amr }) =>
    event('session.opened', { session_id: id, method: amr.at(0)?.method ?? '' }),
  )
