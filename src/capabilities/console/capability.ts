import type { Deps } from '../../accounts/auth-context.ts'
import type { Config } from '../../platform/config/config.ts'
import { defineBuiltInCapability } from '../capability.ts'
import * as terms from './console.terms.ts'
import { settings } from './console-settings.terms.ts'
import { consoleTables } from './migrations.ts'

/** The operator console. Its pages are loaded where the configuration enables it. */
export const operatorConsole = {
  ...defineBuiltInCapability({
    name: 'console',
    terms,
    settings,
    migrations: [{ name: '20261126-console', statements: consoleTables }],
    entities: async () => {
      const { ActivityCountEntity } = await import('./activity-count.entity.ts')
      return [ActivityCountEntity]
    },
    personalTables: {},
    otherTables: { activity_counts: 'numbers of events by hour, which contain no user' },
    otherColumns: { activity_counts: ['kind', 'hour', 'occurrences'] },
    endpoints: [],
    operatorEndpoints: [],
    sweeps: [],
    upkeep: async (deps: Deps) => {
      if (!deps.config.console.enabled) return
      const { countRecentActivity } = await import('./count-activity.ts')
      await countRecentActivity(deps)
    },
    endGrants: () => [],
  }),
  /** Loads the console. */
  load: async () => (await import('./open-console.ts')).openConsole,
  isEnabled: ({ console: { enabled } }: Pick<Config, 'console'>): boolean => enabled,
}
