import { SubscribePage } from './subscribe-page.entity.ts'
import { SubscribePageEntry } from './subscribe-page-entry.entity.ts'
import { SubscribePageKey } from './subscribe-page-key.entity.ts'
import { SubscribePageOwner } from './subscribe-page-owner.entity.ts'
import { SubscriberListEntity } from './subscriber-list.entity.ts'

export const entities = [
  SubscribePage,
  SubscribePageEntry,
  SubscribePageKey,
  SubscribePageOwner,
  SubscriberListEntity,
]
