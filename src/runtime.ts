import { availableParallelism } from 'node:os'
import { configuredKeyRing, type KeyRing } from './access-tokens/key-ring.ts'
import { loadManagedKeys } from './access-tokens/managed-keys.ts'
import { type AdminApi, createAdminApi } from './api/admin-api.ts'
import { type AuthApi, createAuthApi } from './api/auth-api.ts'
import { requireViewer, type Viewer } from './api/viewer.ts'
import type { Config } from './config/config.ts'
import { createApp } from './create-app.ts'
import type { Database, Deps } from './deps.ts'
import { type Clock, systemClock } from './kit/clock.ts'
import type { RootKeys } from './kit/derived-keys.ts'
import { type Random, systemRandom } from './kit/random.ts'
import { silentLogger } from './observability/logger.ts'
import { createGate } from './passwords/gate.ts'
import { createPasswordHasher } from './passwords/password-hasher.ts'
import {
  developmentRoot,
  embeddedDataFolder,
  makeDevelopmentFolder,
} from './persistence/development-folder.ts'
import { embeddedPostgresDriver } from './persistence/embedded-postgres.ts'
import { migrate } from './persistence/migrate.ts'
import { type OpenDatabase, openDatabase } from './persistence/open-database.ts'
import { postgresDriver } from './persistence/postgres.ts'

/** What a test may put in place of the world. */
export interface World {
  clock?: Clock
  random?: Random
}

/** A running service. */
export interface Runtime {
  app: { fetch(request: Request): Response | Promise<Response> }
  deps: Deps
  api: AuthApi
  admin: AdminApi
  requireViewer(token: string | null): Promise<Viewer>
  close(): Promise<void>
}

/** Opens the database, brings its schema up to date and builds everything once. */
export async function startRuntime(config: Config, world: World = {}): Promise<Runtime> {
  const logger = config.logger ?? silentLogger
  const database = await openConfiguredDatabase(config)
  try {
    const taken = await migrate(database.orm, config.database)
    if (taken.length > 0) logger.info({ migrations: taken }, 'database migrated')
    const deps = await buildDeps(config, database, world)
    return {
      app: createApp(deps),
      deps,
      api: createAuthApi(deps),
      admin: createAdminApi(deps),
      requireViewer: (token) => requireViewer(deps, token),
      close: database.close,
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The configured server, or, in development without one, the embedded database. */
export async function openConfiguredDatabase(config: Config): Promise<OpenDatabase> {
  const { url, maxPoolSize, preparedStatements } = config.database
  if (url === null) await makeDevelopmentFolder()
  const driver =
    url === null
      ? embeddedPostgresDriver(embeddedDataFolder)
      : postgresDriver({ url, maxPoolSize, preparedStatements })
  return openDatabase(driver, config.database)
}

async function buildDeps(config: Config, database: OpenDatabase, world: World): Promise<Deps> {
  const clock = world.clock ?? systemClock
  const random = world.random ?? systemRandom
  const roots = await resolveRoots(config)
  const width = Math.max(1, Math.min(availableParallelism(), 3))
  return {
    config,
    database,
    clock,
    random,
    roots,
    keys: await resolveKeys(config, { ...database, clock, random }),
    passwords: await createPasswordHasher(
      config.passwords.argon2,
      createGate({ width, maxWaiting: 64 * width, maxWaitMs: 10_000 }),
    ),
    logger: config.logger ?? silentLogger,
  }
}

/** What derived keys come from: the encryption keys, else the shared secrets of tokens. */
async function resolveRoots({ encryptionKeys, jwt, development }: Config): Promise<RootKeys> {
  const all = [...encryptionKeys, ...jwt.secrets]
  const [current] = all
  if (current !== undefined) return { current, all }
  if (!development) throw new Error('there is no root for derived keys')
  const made = await developmentRoot()
  return { current: made, all: [made] }
}

async function resolveKeys(
  config: Config,
  needs: Database & Pick<Deps, 'clock' | 'random'>,
): Promise<KeyRing> {
  const configured = configuredKeyRing(config.jwt)
  if (configured) return configured
  const [current] = config.encryptionKeys
  const encryption = current === undefined ? null : { current, all: config.encryptionKeys }
  return loadManagedKeys({ ...needs, encryption }, config.jwt.algorithm)
}
