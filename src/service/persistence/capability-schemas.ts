import type { Capability } from '../../capabilities/capability.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { PersonalTable } from '../../platform/sql/personal-table.ts'
import { migrate } from './migrate.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Namespace } from './table-names.ts'

/** The tables of registered capabilities, each created before it is used. */
export interface CapabilitySchemas {
  /** Runs the capability's migrations, once. */
  prepare(capability: Capability): Promise<void>
  /** Returns the tables with personal data. Runs the migrations of each capability. */
  personalTables(): Promise<Readonly<Record<string, PersonalTable>>>
}

interface Needs {
  database: OpenDatabase
  place: Namespace
  logger: Logger
}

/**
 * @param capabilities the registered ones: the list may grow.
 */
export function capabilitySchemas(
  { database, place, logger }: Needs,
  capabilities: readonly Capability[],
): CapabilitySchemas {
  const prepared = new Map<Capability, Promise<void>>()
  const take = async ({ migrations }: Capability): Promise<void> => {
    const taken = await migrate(database, place, migrations, { logger })
    if (taken.length > 0) logger.info({ migrations: taken }, 'database migrated')
  }
  const prepare = (capability: Capability): Promise<void> => {
    const known = prepared.get(capability)
    if (known) return known
    // A failed migration is tried again at the next request: the database may be reachable by then.
    const taking = take(capability).catch((error) => {
      prepared.delete(capability)
      throw error
    })
    prepared.set(capability, taking)
    return taking
  }
  return {
    prepare,
    personalTables: async () => {
      const all = [...capabilities]
      for (const capability of all) await prepare(capability)
      return Object.assign({}, ...all.map(({ personalTables }) => personalTables))
    },
  }
}
