import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SubscriberListSchema = defineEntity({
  name: 'SubscriberList',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    description: p.text().nullable(),
    listPosition: p.integer().nullable(),
    /** True if any client may read it. */
    public: p.boolean(),
  },
})

/** A list for subscribers, as a form shows it. The application stores the subscribers. */
class SubscriberList extends SubscriberListSchema.class {}
SubscriberListSchema.setClass(SubscriberList)

export { SubscriberList as SubscriberListEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscriber_lists: RowOf<SubscriberList>
  }
}
