import { defineCapability } from '../capability.ts'
import { subscribePagesTables } from './migrations.ts'
import { nonPersonalPagesTables, personalPagesTables } from './personal-pages.ts'
import * as terms from './subscribe-pages.terms.ts'

/** The subscription pages. `createSubscribePages` registers them. */
export const subscribePages = defineCapability({
  name: 'subscribe-pages',
  terms,
  // Applications pass options. The settings of our own server are in `platform/config/settings/`.
  settings: [],
  migrations: [{ name: '20261123-subscribe-pages', statements: subscribePagesTables }],
  entities: async () => {
    const { entities } = await import('./entities.ts')
    return entities
  },
  personalTables: personalPagesTables,
  otherTables: nonPersonalPagesTables,
})
