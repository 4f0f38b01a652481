import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { SubscribePage } from './subscribe-page.entity.ts'

const SubscribePageEntrySchema = defineEntity({
  name: 'SubscribePageEntry',
  properties: {
    page: () => p.manyToOne(SubscribePage).primary().updateRule('no action').deleteRule('cascade'),
    key: p.text().primary(),
    value: p.text(),
  },
})

/** A text or setting of a page, such as the label of its button. */
export class SubscribePageEntry extends SubscribePageEntrySchema.class {}
SubscribePageEntrySchema.setClass(SubscribePageEntry)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_page_entries: RowOf<SubscribePageEntry>
  }
}
