import { personalSessions } from '../../accounts/sessions/personal-sessions.ts'
import {
  exported,
  type PersonalTable,
  personalTable,
  withheld,
} from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { SubscribePage } from './subscribe-page.entity.ts'
import type { SubscribePageKey } from './subscribe-page-key.entity.ts'
import type { SubscribePageOwner } from './subscribe-page-owner.entity.ts'

const personalOwners = personalTable<RowOf<SubscribePageOwner>>()({
  name: 'subscribe_page_owners',
  belongsBy: { ids: ['user_id'] },
  columns: { id: exported, user_id: exported },
  erasure: { rows: 'deleted' },
})

const isOfOperators = 'the page belongs to the operators, not to its author'

const personalPages = personalTable<RowOf<SubscribePage>>()({
  name: 'subscribe_pages',
  belongsBy: { parent: personalOwners, column: 'owner_id' },
  columns: {
    id: exported,
    title: exported,
    active: exported,
    owner_id: exported,
    version: withheld('it counts the updates of all administrators'),
  },
  erasure: {
    rows: 'kept',
    cleared: ['owner_id'],
    kept: {
      id: isOfOperators,
      title: isOfOperators,
      active: isOfOperators,
      version: isOfOperators,
    },
  },
})

const personalKeys = personalTable<RowOf<SubscribePageKey>>()({
  name: 'subscribe_page_keys',
  belongsBy: { parent: personalSessions, column: 'session_id' },
  columns: {
    id: exported,
    key_hash: withheld('the hash of a secret that may still be valid'),
    session_id: exported,
    expires_at: exported,
    created_at: exported,
  },
  erasure: { rows: 'deleted' },
})

/** The tables of the subscription pages with personal data, by their names in an export. */
export const personalPagesTables: Readonly<Record<string, PersonalTable>> = {
  subscribePageOwners: personalOwners,
  subscribePages: personalPages,
  subscribePageKeys: personalKeys,
}

/** The other tables, and why they contain no personal data. */
export const nonPersonalPagesTables = {
  subscribe_page_entries: 'texts and settings of pages, which operators publish',
  subscriber_lists: 'names of lists, and not who joined them',
}
