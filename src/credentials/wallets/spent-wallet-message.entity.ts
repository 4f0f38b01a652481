import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SpentWalletMessageSchema = defineEntity({
  name: 'SpentWalletMessage',
  properties: {
    messageHash: p.string().length(64).primary(),
    /** The time after which the message is rejected as too old. */
    expiresAt: p.datetime().index(),
  },
})

/**
 * A message that was used to sign in and is not accepted again. It belongs to no user, so that a
 * deleted account cannot be created again with it.
 */
export class SpentWalletMessage extends SpentWalletMessageSchema.class {}
SpentWalletMessageSchema.setClass(SpentWalletMessage)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    spent_wallet_messages: RowOf<SpentWalletMessage>
  }
}
