import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SpentWalletMessageSchema = defineEntity({
  name: 'SpentWalletMessage',
  properties: {
    messageHash: p.string().length(64).primary(),
    /** When the message is refused by its age. */
    expiresAt: p.datetime().index(),
  },
})

/**
 * A message that somebody has signed in with, and that opens nothing any more. It belongs to no user: whoever deletes
 * theirs must not be brought back by it.
 */
export class SpentWalletMessage extends SpentWalletMessageSchema.class {}
SpentWalletMessageSchema.setClass(SpentWalletMessage)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    spent_wallet_messages: RowOf<SpentWalletMessage>
  }
}
