import type { AuthContext } from '../../accounts/auth-context.ts'
import { type MessageOrder, newOutboxRow, type OutboxRow } from '../outbox/outbox-row.ts'

/**
 * The rows of messages that are to leave as soon as they are stored. A service whose addresses confirm
 * themselves may have nobody who takes mails: there are no rows of those, since they would stay for good.
 */
export const outboxRows = (ctx: AuthContext, orders: readonly MessageOrder[]): OutboxRow[] =>
  orders
    .filter(({ message }) => ctx.carriers[message.channel] !== null)
    .map((order) => newOutboxRow(ctx, order, ctx.clock.now()))
