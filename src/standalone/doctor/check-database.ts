import { subscribePages } from '../../capabilities/subscribe-pages/capability.ts'
import { openSigningKey } from '../../credentials/access-tokens/managed-key-rows.ts'
import { keyEncryption } from '../../credentials/access-tokens/open-key-ring.ts'
import { findSigningKeys } from '../../credentials/access-tokens/signing-keys.sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { ForeignSchemaError } from '../../platform/errors/start-errors.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Finding, fine, problem, warning } from '../../service/doctor/finding.ts'
import { rejectForeignSchema } from '../../service/persistence/foreign-schema.ts'
import { migrationStatus } from '../../service/persistence/migration-status.ts'
import { migrations } from '../../service/persistence/migrations.ts'
import { openConfiguredDatabase } from '../../service/persistence/open-configured-database.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { openReplica } from '../../service/persistence/replica.ts'
import { resolveRoots } from '../../service/resolve-roots.ts'
import { countSealedRows, describeCounts, type RootKeyUse } from '../../service/sealed-rows.ts'
import { databaseRemedy } from '../database-remedy.ts'
import { checkAccess } from './check-access.ts'
import { checkConnections } from './check-connections.ts'
import { checkDatabaseHooks } from './check-database-hooks.ts'
import { checkImportedTokens } from './check-imported-tokens.ts'

/**
 * The tolerated difference between the clocks. Codes and tokens live minutes; apps check tokens to
 * the second.
 */
const tolerableMs = 2_000

/**
 * Checks database, schema, connections, clock and keys.
 *
 * @param maxPoolSize the limit of `latchkey serve`, whose default differs from that of
 *   `createAuth`.
 */
export async function checkDatabase(config: Config, maxPoolSize: number): Promise<Finding[]> {
  try {
    const database = await openConfiguredDatabase(config)
    try {
      const { applied, pending } = await migrationStatus(database.sql, config.database)
      if (applied.length === 0) {
        const foreign = await checkForeignSchema(database.sql, config.database.schema)
        if (foreign) return [fine('database', 'reached'), foreign]
      }
      return [
        fine(
          'database',
          `reached; ${applied.length} migrations applied${describeNewer(applied)}, ${pending.length} pending`,
        ),
        ...assessWrites(await database.writeFault()),
        ...pendingSteps(pending),
        ...(await checkReplica(database, config)),
        ...(await checkConnections(database, maxPoolSize)),
        ...(await checkAccess(database, config.database.schema)),
        await checkClock(database.sql),
        ...(await checkDatabaseHooks(database.sql, config)),
        ...(pending.length === 0 ? await checkKeys(database.sql, config) : []),
        ...(pending.length === 0
          ? await checkRootKeys(database.sql, await resolveRoots(config))
          : []),
      ]
    } finally {
      await database.close()
    }
  } catch (error) {
    return [problem('database', error, databaseRemedy(error))]
  }
}

/** Returns the reason why `latchkey migrate` would reject the schema; null if it would not. */
async function checkForeignSchema(sql: Queryable, schema: string): Promise<Finding | null> {
  try {
    await rejectForeignSchema(sql, schema)
    return null
  } catch (error) {
    if (!(error instanceof ForeignSchemaError)) throw error
    return problem(
      'database',
      `the schema "${schema}" contains objects that are not Latchkey's, so that it is not migrated`,
      'set another schema in AUTH_DB_SCHEMA; latchkey import gotrue imports the users of an existing auth service',
    )
  }
}

/** @param fault why writes fail; null if they succeed. */
const assessWrites = (fault: string | null): Finding[] =>
  fault === null
    ? []
    : [
        problem(
          'database',
          fault,
          'use the primary of PostgreSQL, and the role that owns the tables or one that may write to them',
        ),
      ]

const known = new Set([...migrations, ...subscribePages.migrations].map(({ name }) => name))

/** Returns the number of steps that only a newer version of Latchkey contains. */
function describeNewer(applied: readonly { name: string }[]): string {
  const newer = applied.filter(({ name }) => !known.has(name)).length
  return newer === 0 ? '' : ` (${newer} of a newer version)`
}

const pendingSteps = (pending: readonly string[]): Finding[] =>
  pending.length === 0
    ? []
    : [
        warning(
          'migrations',
          `pending: ${pending.join(', ')}`,
          'latchkey migrate applies them, and latchkey serve does so when it starts',
        ),
      ]

const readClock = statement<object, { ms: string }>(
  'read_clock',
  () => 'select extract(epoch from clock_timestamp()) * 1000 as ms',
  { unprepared: 'it runs by hand' },
)

/** Compares the clocks. The round trip's duration is not part of the difference. */
async function checkClock(sql: Queryable): Promise<Finding> {
  const before = Date.now()
  const [row] = await sql.query(readClock, {})
  return assessClock(Number(row?.ms), { before, after: Date.now() })
}

/** @param before, after the local times before and after the query of the database's clock. */
export function assessClock(
  ms: number,
  { before, after }: Record<'before' | 'after', number>,
): Finding {
  const offMs = Math.max(0, before - ms, ms - after)
  const message = `differs from that of the database by ${(offMs / 1000).toFixed(1)} s`
  const remedy =
    'synchronize the clocks of both machines by NTP: tokens and codes expire by this one'
  return offMs > tolerableMs ? problem('clock', message, remedy) : fine('clock', message)
}

async function checkKeys(sql: Queryable, { jwt, encryptionKeys }: Config): Promise<Finding[]> {
  if (jwt.secrets.length > 0 || jwt.keys !== null) {
    const name = jwt.keys === null ? 'AUTH_JWT_SECRET' : 'AUTH_JWT_KEYS'
    return [fine('keys', `${name} signs; its age is unknown`)]
  }
  const rows = await findSigningKeys(sql)
  const encryption = keyEncryption(encryptionKeys)
  const unread = rows.filter((row) => !isReadable(() => openSigningKey(encryption, row)))
  if (unread.length > 0) {
    return [
      problem(
        'keys',
        `${unread.length} of ${rows.length} cannot be read`,
        'add the key that sealed them to AUTH_ENCRYPTION_KEY, after the current one and a comma',
      ),
    ]
  }
  const now = systemClock.now()
  const signing = rows.find((row) => new Date(row.signs_from) <= now)
  return [
    assessKeyAge(signing ? now.getTime() - new Date(signing.signs_from).getTime() : null, jwt),
  ]
}

/** @param ageMs for how long the key has signed; null if there is none yet. */
export function assessKeyAge(
  ageMs: number | null,
  { rotation }: Pick<Config['jwt'], 'rotation'>,
): Finding {
  if (ageMs === null) return fine('keys', 'none yet: latchkey serve creates the first')
  const days = Math.floor(ageMs / 86_400_000)
  const message = `the current key has signed for ${days} ${days === 1 ? 'day' : 'days'}`
  const dueMs = (rotation.intervalSeconds + rotation.overlapSeconds) * 1000
  return ageMs > dueMs + 86_400_000
    ? warning(
        'keys',
        message,
        'latchkey keys rotate creates the next; a running server does so by itself',
      )
    : fine('keys', message)
}

async function checkRootKeys(sql: Queryable, roots: RootKeys): Promise<Finding[]> {
  const sealed = assessRootKeys(await countSealedRows(sql, roots))
  return [...sealed, ...(await checkImportedTokens(sql, roots))]
}

/** Returns one finding for each root key that is current or that sealed values need. */
const assessRootKeys = (uses: readonly RootKeyUse[]): Finding[] =>
  uses.flatMap(({ keyId, state, counts, total }) => {
    if (state !== 'current' && total === 0) return []
    const sealed = total === 0 ? 'seals nothing' : `seals ${describeCounts(counts)}`
    if (state === 'current') return [fine('root keys', `${keyId}, the current one: ${sealed}`)]
    if (state === 'missing') {
      const remedy =
        'add this key to AUTH_ENCRYPTION_KEY after the current one, then run latchkey keys reseal'
      return [problem('root keys', `${keyId} is not configured, and ${sealed}`, remedy)]
    }
    const message = keyId === null ? `a key without a name ${sealed}` : `${keyId} still ${sealed}`
    const remedy = 'latchkey keys reseal seals them with the current key'
    return [warning('root keys', message, remedy)]
  })

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/** Checks whether the configured replica is read. No findings where there is none. */
export async function checkReplica(
  primary: OpenDatabase,
  { database }: Pick<Config, 'database'>,
): Promise<Finding[]> {
  const { url, replicaUrl } = database
  if (url === null || replicaUrl === null) return []
  const replica = await openReplica({
    config: { ...database, replicaUrl },
    primary,
    logger: silentLogger,
    telemetry: null,
  })
  const { state, reason } = await replica.checked().finally(replica.close)
  if (state === 'ok') {
    return [fine('replica', 'reached; lists, the audit log and exports are read from it')]
  }
  return [
    warning(
      'replica',
      `not used, so the primary is read: ${reason}`,
      'check AUTH_DATABASE_REPLICA_URL, and the replication of the server behind it',
    ),
  ]
}
