import type { Config } from '../../platform/config/config.ts'
import { cacheFolder } from '../../platform/kit/cache-folder.ts'
import { embeddedDataFolder, makeDevelopmentFolder } from './development-folder.ts'
import { embeddedPostgresDriver } from './embedded-postgres.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'

/** Opens the configured server, or, in development without one, the embedded database. */
export async function openConfiguredDatabase(config: Config): Promise<OpenDatabase> {
  const { url } = config.database
  if (url === null) await makeDevelopmentFolder()
  const driver =
    url === null
      ? embeddedPostgresDriver(embeddedDataFolder, cacheFolder())
      : postgresDriver({ ...config.database, ...unusedLimit(config), url })
  return openDatabase(driver, config.database)
}

/** Timers that close idle connections do not run while the process is frozen. */
function unusedLimit({ background, database }: Config): { maxUnusedMs?: number } {
  if (!background.frozenBetweenRequests) return {}
  return { maxUnusedMs: (database.connectionMaxIdleSeconds || 10) * 1000 }
}
