import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SubscribePageOwnerSchema = defineEntity({
  name: 'SubscribePageOwner',
  properties: {
    id: p.integer().primary().autoincrement(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').unique(),
  },
})

/** The number of a user as an owner of pages: pages contain numbers, users have UUIDs. */
export class SubscribePageOwner extends SubscribePageOwnerSchema.class {}
SubscribePageOwnerSchema.setClass(SubscribePageOwner)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    subscribe_page_owners: RowOf<SubscribePageOwner>
  }
}
