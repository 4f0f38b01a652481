import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { Channel, OutboxStatus } from './message.ts'

const OutboxMessageSchema = defineEntity({
  name: 'OutboxMessage',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    channel: p.text().$type<Channel>(),
    kind: p.text(),
    recipient: p.text(),
    body: p.text().nullable().hidden(),
    status: p.text().$type<OutboxStatus>(),
    attempts: p.smallint(),
    nextAttemptAt: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
    carrierMessageId: p.text().nullable(),
    lastError: p.text().nullable(),
    settledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    { properties: ['channel', 'nextAttemptAt'], where: { nextAttemptAt: { $ne: null } } },
    {
      properties: ['recipient', 'id'],
      where: { channel: 'events', nextAttemptAt: { $ne: null } },
    },
  ],
})

/**
 * A message to deliver. It is stored in the causing transaction and kept until a carrier accepts
 * it. The body contains links and codes, so it is sealed, and deleted after delivery.
 *
 * Only messages that wait are in the indexes for delivery, and only those of ordered channels in
 * the index of recipients. Settled ones are found by their ids, which sort by time.
 */
export class OutboxMessage extends OutboxMessageSchema.class {}
OutboxMessageSchema.setClass(OutboxMessage)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    outbox_messages: RowOf<OutboxMessage>
  }
}
