import { defineEntity, p } from '@mikro-orm/core'
import { SessionEntity } from '../../accounts/sessions/session.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SubscribePageKeySchema = defineEntity({
  name: 'SubscribePageKey',
  properties: {
    id: p.integer().primary().autoincrement(),
    keyHash: p.string().length(64).unique().hidden(),
    session: () => p.manyToOne(SessionEntity).deleteRule('cascade').unique(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/** The session key of an administrator. It is deleted with the session of its log-in. */
export class SubscribePageKey extends SubscribePageKeySchema.class {}
SubscribePageKeySchema.setClass(SubscribePageKey)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_page_keys: RowOf<SubscribePageKey>
  }
}
