import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { SubscribePageOwner } from './subscribe-page-owner.entity.ts'

const SubscribePageSchema = defineEntity({
  name: 'SubscribePage',
  properties: {
    id: p.integer().primary().autoincrement(),
    title: p.text(),
    active: p.boolean(),
    /** Null after the owner was deleted. */
    owner: () => p.manyToOne(SubscribePageOwner).nullable().deleteRule('set null').index(),
    /**
     * The number of updates. A replacement states the version that it was based on, so a lost race
     * is detected.
     */
    version: p.integer(),
  },
})

/** The title and settings of a form for email addresses of subscribers. */
export class SubscribePage extends SubscribePageSchema.class {}
SubscribePageSchema.setClass(SubscribePage)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_pages: RowOf<SubscribePage>
  }
}
