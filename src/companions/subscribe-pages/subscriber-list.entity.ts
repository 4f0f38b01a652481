import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SubscriberListSchema = defineEntity({
  name: 'SubscriberList',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    description: p.text().nullable(),
    listPosition: p.integer().nullable(),
    /** Whether anybody may look it up. */
    public: p.boolean(),
  },
})

/** A list that people may join, as a form shows it. Who joined is for the application to keep. */
class SubscriberList extends SubscriberListSchema.class {}
SubscriberListSchema.setClass(SubscriberList)

export { SubscriberList as SubscriberListEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscriber_lists: RowOf<SubscriberList>
  }
}
