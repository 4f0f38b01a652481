import type { AuthContext } from '../../accounts/auth-context.ts'
import { type MessageOrder, newOutboxRow, type OutboxRow } from '../outbox/outbox-row.ts'

/**
 * Returns the rows of messages to send. A service that confirms addresses automatically may have no
 * mail carrier: its mails get no rows, which would remain forever.
 */
export const outboxRows = (
  ctx: Pick<AuthContext, 'carriers' | 'clock' | 'roots'>,
  orders: readonly MessageOrder[],
): OutboxRow[] =>
  orders
    .filter(({ message }) => ctx.carriers[message.channel] !== null)
    .map((order) => newOutboxRow(ctx, order, ctx.clock.now()))
