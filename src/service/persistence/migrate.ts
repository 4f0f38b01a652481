import { AuthError } from '../../platform/errors/auth-error.ts'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { withoutDefaultGrants } from './default-grants.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { onceAtStart, rejectForeignSchema } from './foreign-schema.ts'
import { migrationsTable } from './migration.ts'
import { lockMigrations, type MigrationOptions } from './migration-lock.ts'
import { hasMigrationsTable, migrationStatus } from './migration-status.ts'
import { migrations } from './migrations.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Orm, OrmEntityManager } from './orm-options.ts'
import { hostQueryable } from './queryables.ts'
import type { Namespace } from './table-names.ts'
import { retryWhileBlocked } from './wait-for-tables.ts'

/**
 * Takes all pending steps in one transaction, under a lock: one of several starting processes
 * migrates while the others wait. Where none is pending, the ORM is not loaded. A table that
 * another transaction holds is waited for in short attempts, so that running instances serve
 * meanwhile.
 *
 * @param steps all steps, oldest first. Default: the steps of this version.
 * @returns the names of the steps taken here, none when the schema was up to date.
 * @throws AuthError `service_unavailable` (503) when the database cannot be reached.
 * @throws ForeignSchemaError when the schema contains objects of others.
 */
export async function migrate(
  database: OpenDatabase,
  place: Namespace,
  steps: readonly MigrationStep[] = migrations,
  options: MigrationOptions = {},
): Promise<string[]> {
  const { pending } = await migrationStatus(database.sql, place, steps)
  if (pending.length === 0) return []
  try {
    await claimSchema(database, place, options)
    return await database.withOrm((orm) => takePending(orm, database, { place, steps, options }))
  } catch (error) {
    throw error instanceof AuthError ? error : describeDatabaseError(error)
  }
}

interface MigrationOrder {
  place: Namespace
  steps: readonly MigrationStep[]
  options: MigrationOptions
}

async function takePending(
  orm: Orm,
  { names, sql: other, load }: OpenDatabase,
  { place, steps, options }: MigrationOrder,
): Promise<string[]> {
  const { migratorFor } = await import('./orm-steps.ts')
  const migrator = migratorFor(orm, steps, names)
  // The migrator reads its state before the transaction. Within it, it would use a second
  // connection, which its pool does not have.
  if ((await migrator.getPending()).length === 0) return []
  return inOrmTransaction(orm, async (em) => {
    const sql = hostQueryable(em, names, async () => {})
    await lockMigrations(sql, place, options)
    // Only a server has further connections.
    const connections = { transaction: sql, other: load ? other : null }
    const taken = await retryWhileBlocked(connections, options, () =>
      withoutDefaultGrants(sql, place.schema, () =>
        migrator.up({ transaction: em.getTransactionContext() }),
      ),
    )
    return taken.map(({ name }) => name)
  })
}

/**
 * Runs the work in a transaction of the ORM, on one connection that always returns to its pool.
 *
 * The ORM's own `transactional` never releases a connection that breaks during the work: closing
 * would wait for it forever.
 */
async function inOrmTransaction<T>(
  orm: Orm,
  work: (em: OrmEntityManager) => Promise<T>,
): Promise<T> {
  const database = orm.driver.getConnection()
  await database.ensureConnection()
  return database
    .getClient()
    .connection()
    .execute(async (connection) => {
      const transaction = await connection.startTransaction().execute()
      try {
        const em = orm.em.fork()
        em.setTransactionContext(transaction)
        const result = await work(em)
        await transaction.commit().execute()
        return result
      } catch (error) {
        // A failure means that the connection was lost, and PostgreSQL has already rolled back.
        await transaction
          .rollback()
          .execute()
          .catch(() => {})
        throw error
      }
    })
}

const unprepared = onceAtStart

/** @param name in quotes. */
export const schemaCreation = (name: string): string => `create schema ${name}`

export const migrationsTableCreation = (sql: Pick<TableFragments, 'table'>): string => `
    create table ${sql.table(migrationsTable)} (
      id serial primary key, name varchar(255) not null,
      executed_at timestamptz not null default current_timestamp)`

export const findSchema = statement<{ schema: string }>(
  'find_schema',
  (_, $) => `select 1 from pg_namespace where nspname = ${$.schema}`,
  { unprepared },
)

/**
 * @param name in quotes.
 */
const createSchema = (name: string) =>
  statement('create_schema', () => schemaCreation(name), { unprepared })

const createMigrationsTable = statement('create_migrations_table', migrationsTableCreation, {
  unprepared,
})

/**
 * Creates schema and bookkeeping table, unless another process has. Rejects a schema with objects
 * of others, because a mixture of tables could not be separated again.
 */
async function claimSchema(
  database: OpenDatabase,
  place: Namespace,
  options: MigrationOptions,
): Promise<void> {
  if (await hasMigrationsTable(database.sql, place)) return
  await database.transaction(async ({ sql }) => {
    await lockMigrations(sql, place, options)
    if (await hasMigrationsTable(sql, place)) return
    await rejectForeignSchema(sql, place.schema)
    const [existing] = await sql.query(findSchema, { schema: place.schema })
    if (!existing) await sql.query(createSchema(database.names.schema), {})
    await withoutDefaultGrants(sql, place.schema, () => sql.query(createMigrationsTable, {}))
  })
}

/** A pending step, and its statements. */
export interface PlannedStep {
  name: string
  statements: string[]
}

/** Returns the pending steps, without taking them. */
export async function plannedSteps(
  { sql, names }: Pick<OpenDatabase, 'sql' | 'names'>,
  place: Namespace,
  steps: readonly MigrationStep[] = migrations,
): Promise<PlannedStep[]> {
  const { pending } = await migrationStatus(sql, place, steps)
  const toCome = steps.filter(({ name }) => pending.includes(name))
  return toCome.map(({ name, statements }) => ({ name, statements: statements(names) }))
}
