import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { SubscribePageOwner } from './subscribe-page-owner.entity.ts'

const SubscribePageSchema = defineEntity({
  name: 'SubscribePage',
  properties: {
    id: p.integer().primary().autoincrement(),
    title: p.text(),
    active: p.boolean(),
    /** Null once the owner is deleted. */
    owner: () => p.manyToOne(SubscribePageOwner).nullable().deleteRule('set null').index(),
    /** Counts the updates: whoever replaces a page as it was read sees that another one was faster. */
    version: p.integer(),
  },
})

/** Title and settings of a form at which people leave their address. */
export class SubscribePage extends SubscribePageSchema.class {}
SubscribePageSchema.setClass(SubscribePage)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_pages: RowOf<SubscribePage>
  }
}
