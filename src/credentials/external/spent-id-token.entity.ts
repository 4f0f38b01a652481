import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SpentIdTokenSchema = defineEntity({
  name: 'SpentIdToken',
  properties: {
    tokenHash: p.string().length(64).primary(),
    /**
     * The time after which the token is no longer accepted: its `exp`, or a day after its issue.
     */
    expiresAt: p.datetime().index(),
  },
})

/**
 * An id token without a nonce that was used to sign in and is not accepted again. It belongs to no
 * user.
 */
export class SpentIdToken extends SpentIdTokenSchema.class {}
SpentIdTokenSchema.setClass(SpentIdToken)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    spent_id_tokens: RowOf<SpentIdToken>
  }
}
