import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../sql/row-of.ts'
import { User } from '../../users/user.entity.ts'

const SubscribePageOwnerSchema = defineEntity({
  name: 'SubscribePageOwner',
  properties: {
    id: p.integer().primary().autoincrement(),
    user: () => p.manyToOne(User).deleteRule('cascade').unique(),
  },
})

/** The number that a user has here: pages name their owners by numbers, users have UUIDs. */
export class SubscribePageOwner extends SubscribePageOwnerSchema.class {}
SubscribePageOwnerSchema.setClass(SubscribePageOwner)

declare module '../../sql/tables.ts' {
  interface Tables {
    subscribe_page_owners: RowOf<SubscribePageOwner>
  }
}
