import { existsSync } from 'node:fs'
import type { Deps } from '../accounts/auth-context.ts'
import type { Admin } from '../accounts/callers/authenticate-admin.ts'
import { openDecisionLog } from '../accounts/decisions/decision-log.ts'
import { createSubscribePages } from '../capabilities/subscribe-pages/subscribe-pages.ts'
import { isProductionEnv } from '../platform/config/check-config.ts'
import type { Config } from '../platform/config/config.ts'
import { ConfigError } from '../platform/errors/start-errors.ts'
import { systemClock } from '../platform/kit/clock.ts'
import { extractRoots, type RootKeys } from '../platform/kit/derived-keys.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { openOutsideFetch } from '../platform/kit/outside-fetch.ts'
import { systemRandom } from '../platform/kit/random.ts'
import { safeFetch } from '../platform/kit/safe-fetch.ts'
import { orderedUuids } from '../platform/kit/uuid.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import type { MigrationStep } from '../platform/sql/migration.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { AdminApi } from '../service/api/admin-api.ts'
import { createAdminApi } from '../service/api/create-admin-api.ts'
import { createService, type Service } from '../service/create-auth.ts'
import { developmentFolder } from '../service/persistence/development-folder.ts'
import { rejectForeignSchema } from '../service/persistence/foreign-schema.ts'
import { migrate } from '../service/persistence/migrate.ts'
import { migrationStatus } from '../service/persistence/migration-status.ts'
import { migrations } from '../service/persistence/migrations.ts'
import { openConfiguredDatabase } from '../service/persistence/open-configured-database.ts'
import type { OpenDatabase } from '../service/persistence/open-database.ts'
import { withReplica } from '../service/persistence/replica.ts'
import { resolveRoots } from '../service/resolve-roots.ts'
import { CommandError } from './command-error.ts'
import { createLogger } from './server/logger.ts'
import { type CodeConfig, checkCodeConfig } from './settings/code-config.ts'
import {
  type CheckedEnvironment,
  checkEnvironment,
  type SettingsNeeded,
} from './settings/environment.ts'
import type { Environment } from './settings/environment-remarks.ts'

/** The actor in the audit log for acts on the command line. */
export const operator: Admin = { role: 'cli' }

/** Sends the requests of a command, which are too few for a queue. */
export const directOutsideFetch = openOutsideFetch(safeFetch, (send) => send())

/** A command that runs once opens no port and exports nothing: a server may run beside it. */
const withoutTelemetry = { tracing: { enabled: false }, metrics: { enabled: false } }

/**
 * Opens the configured service without telemetry. It logs only if the audit log is not stored in
 * the database; errors are printed by the command.
 */
export function openForOperator(code: CodeConfig | null = null): Service {
  const { config, resolved, nameOf } = checkOperatorEnvironment(process.env, { code })
  const logger = resolved.auditLog.disablePostgres ? createLogger(resolved.log) : false
  const service = createService(
    { ...config, logger, telemetry: withoutTelemetry },
    code ? {} : { nameOf },
  )
  // An export of a user's data includes the tables of the subscription pages.
  if (resolved.server.subscribePagesEnabled) createSubscribePages({ auth: service.auth })
  return service
}

/** The methods of `auth.admin` that only read rows. */
export type AdminReader = Pick<AdminApi, 'listUsers' | 'findUser' | 'listAudit' | 'explain'>

/**
 * Opens the database for a command that only reads it. No other setting is required: no service is
 * started, so that no key is generated and no message is sent.
 */
export async function openForReading(
  code: CodeConfig | null = null,
): Promise<{ admin: AdminReader; close(): Promise<void> }> {
  const { resolved: config } = checkOperatorEnvironment(process.env, {
    needs: 'database',
    code,
  })
  const database = await withReplica(await openConfiguredDatabase(config), config.database, {
    logger: silentLogger,
    telemetry: null,
  })
  const deps = await partsOf(config, database, silentLogger)
  return { admin: createAdminApi(deps, operator), close: () => database.close() }
}

/**
 * Opens the database for a command that stores rows, sends no message and signs nothing. As at the
 * start of a service, the schema is migrated first.
 *
 * @param needs permits that all other settings are missing.
 * @param options.storesNothing whether the command only reads, or is a dry run: it rejects a schema
 *   with pending migrations instead.
 */
export async function openForCommand(
  needs: SettingsNeeded,
  code: CodeConfig | null = null,
  { storesNothing = false }: { storesNothing?: boolean } = {},
): Promise<{ deps: Deps; database: OpenDatabase; close(): Promise<void> }> {
  const { resolved: config } = checkOperatorEnvironment(process.env, { needs, code })
  const logger = config.auditLog.disablePostgres ? createLogger(config.log) : silentLogger
  const database = await openConfiguredDatabase(config)
  try {
    if (storesNothing) await requireMigrations(database.sql, config.database)
    else await migrate(database, config.database)
    const deps = {
      ...(await partsOf(config, database, logger)),
      ...(needs === 'root keys' && { roots: await resolveRoots(config) }),
      eventId: orderedUuids(),
      // The running servers learn the costs of imported hashes.
      passwords: { learn: async () => {} },
    }
    return { deps: deps as unknown as Deps, database, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Requires that no migration is pending.
 *
 * @throws ForeignSchemaError when `latchkey migrate` would reject the schema; CommandError when
 *   migrations are pending.
 */
export async function requireMigrations(
  sql: Queryable,
  place: Config['database'],
  steps: readonly MigrationStep[] = migrations,
): Promise<void> {
  const { applied, pending } = await migrationStatus(sql, place, steps)
  if (pending.length === 0) return
  if (applied.length === 0) await rejectForeignSchema(sql, place.schema)
  throw new CommandError(
    `The schema "${place.schema}" has pending migrations (${pending.length}), and this command stores nothing: run \`latchkey migrate\` first`,
  )
}

/**
 * Returns the parts of a command that stores rows in an open database. It sends no message and
 * signs nothing. The schema is not migrated.
 */
export const storingParts = (config: Config, database: OpenDatabase): Promise<Deps> =>
  partsOf(
    config,
    database,
    config.auditLog.disablePostgres ? createLogger(config.log) : silentLogger,
  )

/** Returns the parts of a service that reads and stores rows; all others are absent. */
async function partsOf(config: Config, database: OpenDatabase, logger: Logger): Promise<Deps> {
  const clock = systemClock
  const parts: Partial<Deps> = {
    config,
    database,
    clock,
    databaseNow: () => null,
    random: systemRandom,
    logger,
    telemetry: null,
    roots: await readingRoots(config),
    // Without a timer: this process decides nothing.
    decisions: openDecisionLog({ sql: database.sql, clock, logger, isFrozen: true }),
  }
  return parts as Deps
}

/**
 * Returns the keys that sign the cursors of pages. Without configured keys they are derived from
 * the URL of the database, so that the next command accepts a cursor. They seal nothing.
 */
async function readingRoots(config: Config): Promise<RootKeys> {
  const isConfigured = config.encryptionKeys.length > 0 || config.jwt.secrets.length > 0
  if (isConfigured || config.database.url === null) return resolveRoots(config)
  return extractRoots(sha256Hex(`latchkey cursors ${config.database.url}`))
}

/**
 * Returns the environment of `latchkey serve`. If that is rejected, as it lacks a database or keys,
 * and `latchkey dev` has run in this folder with these settings, returns those of development.
 *
 * @param options.needs permits that all other settings are missing.
 * @param options.code is used in place of the environment.
 * @throws ConfigError if there is neither.
 */
export function checkOperatorEnvironment(
  env: Environment,
  { needs, code = null }: { needs?: SettingsNeeded; code?: CodeConfig | null | undefined } = {},
): CheckedEnvironment {
  if (code) return checkCodeConfig(code, env, needs)
  try {
    return checkEnvironment(env, needs && { needs })
  } catch (error) {
    if (!(error instanceof ConfigError) || isProductionEnv(env['NODE_ENV'])) throw error
    const isMissing = error.problems.some(isDevelopmentDefault)
    if (!existsSync(developmentFolder)) {
      throw isMissing ? new ConfigError(error.problems, elsewhere) : error
    }
    const checked = inDevelopment(env)
    if (checked === null) throw error
    process.stderr.write(
      `Using the settings of latchkey dev in this folder (${developmentFolder}/).\n`,
    )
    return checked
  }
}

/** Returns the settings of `latchkey dev`; null where it rejects them, too. */
function inDevelopment(env: Environment): CheckedEnvironment | null {
  try {
    return checkEnvironment(env, { development: true })
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

const elsewhere =
  'Run this command with the settings of latchkey serve, or in a folder where latchkey dev has run: there it needs none.'

const isDevelopmentDefault = ({ path, message }: { path: string; message: string }): boolean =>
  /^AUTH_(DATABASE_URL|JWT_SECRET|ENCRYPTION_KEY)$/.test(path) && message.startsWith('is required')
