import type { Logger } from '../../platform/observability/logger.ts'
import type { PersonalTable } from '../../platform/sql/personal-table.ts'
import type { Companion } from '../companion-host.ts'
import { migrate } from './migrate.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Namespace } from './table-names.ts'

/** The tables of companions: there once they are asked for. */
export interface CompanionSchemas {
  /** Takes the companion's own steps of the schema, once. */
  prepare(companion: Companion): Promise<void>
  /** What the companions store about people, each prepared by then. */
  personalTables(): Promise<Readonly<Record<string, PersonalTable>>>
}

interface Needs {
  database: OpenDatabase
  place: Namespace
  logger: Logger
}

/** @param companions those that were let in so far: the list may grow. */
export function companionSchemas(
  { database, place, logger }: Needs,
  companions: readonly Companion[],
): CompanionSchemas {
  const prepared = new Map<Companion, Promise<void>>()
  const take = async ({ migrations }: Companion): Promise<void> => {
    const taken = await migrate(database, place, migrations)
    if (taken.length > 0) logger.info({ migrations: taken }, 'database migrated')
  }
  const prepare = (companion: Companion): Promise<void> => {
    const known = prepared.get(companion)
    if (known) return known
    // What failed may succeed at the next request: the database may be back by then.
    const taking = take(companion).catch((error) => {
      prepared.delete(companion)
      throw error
    })
    prepared.set(companion, taking)
    return taking
  }
  return {
    prepare,
    personalTables: async () => {
      const all = [...companions]
      for (const companion of all) await prepare(companion)
      return Object.assign({}, ...all.map(({ personalTables }) => personalTables))
    },
  }
}
