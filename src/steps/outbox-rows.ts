import type { AuthContext } from '../deps.ts'
import { type MessageOrder, newOutboxRow, type OutboxRow } from '../messages/outbox/outbox-row.ts'

/**
 * The rows of messages that are to leave as soon as they are stored. Where mail goes nowhere, as with
 * addresses that confirm themselves it may, there are none: nothing would ever take them.
 */
export const outboxRows = (ctx: AuthContext, orders: readonly MessageOrder[]): OutboxRow[] =>
  orders
    .filter(({ message }) => ctx.carriers[message.channel] !== null)
    .map((order) => newOutboxRow(ctx, order, ctx.clock.now()))
