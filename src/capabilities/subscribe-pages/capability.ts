import { defineCapability } from '../capability.ts'
import { subscribePagesTables } from './migrations.ts'
import { nonPersonalPagesTables, personalPagesTables } from './personal-pages.ts'

/** The subscription pages. `createSubscribePages` registers them; the server does so where they are enabled. */
export const subscribePages = defineCapability({
  name: 'subscribe-pages',
  isEnabled: ({ server }) => server.subscribePagesEnabled,
  migrations: [{ name: '20261123-subscribe-pages', statements: subscribePagesTables }],
  entities: async () => {
    const { entities } = await import('./entities.ts')
    return entities
  },
  personalTables: personalPagesTables,
  otherTables: nonPersonalPagesTables,
})
