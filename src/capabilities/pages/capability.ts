import type { Config } from '../../platform/config/config.ts'
import { defineCapability } from '../capability.ts'
import { describedPages } from './described-pages.ts'
import * as terms from './pages.terms.ts'
import { settings } from './pages-settings.terms.ts'

/** Sign-in and account pages. They have no tables and no endpoints of the wire. */
export const pages = {
  ...defineCapability({
    name: 'pages',
    terms,
    settings,
    migrations: [],
    entities: async () => [],
    personalTables: {},
    otherTables: {},
  }),
  pages: describedPages,
  /** Loads the pages. */
  load: async () => (await import('./open-pages.ts')).openPages,
  isEnabled: ({ pages: { enabled } }: Pick<Config, 'pages'>): boolean => enabled,
}
