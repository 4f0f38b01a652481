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

/** What an administrator asks with after a log-in. It goes with the session that the log-in opened for it. */
export class SubscribePageKey extends SubscribePageKeySchema.class {}
SubscribePageKeySchema.setClass(SubscribePageKey)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_page_keys: RowOf<SubscribePageKey>
  }
}
