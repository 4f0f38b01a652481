import { describeDatabaseError } from './describe-database-error.ts'
import { migrationsTable, refuseForeignSchema } from './foreign-schema.ts'
import { inTransaction } from './in-transaction.ts'
import { migrations } from './migrations.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Orm, OrmEntityManager } from './orm.ts'
import type { Namespace } from './table-names.ts'

/** Which steps of the schema were taken, and which are to come. */
export interface MigrationStatus {
  applied: { name: string; appliedAt: Date }[]
  pending: string[]
}

/**
 * Takes all pending steps in one transaction, under a lock that lets one of many starting processes
 * do it while the others wait.
 *
 * @returns the names of the steps taken here, none when the schema was up to date.
 * @throws AuthError `service_unavailable` (503) when the database cannot be reached.
 * @throws ForeignSchemaError when somebody else lives in the schema.
 */
export const migrate = (orm: Orm, namespace: Namespace): Promise<string[]> =>
  describingErrors(() => takePending(orm, namespace))

async function takePending(orm: Orm, namespace: Namespace): Promise<string[]> {
  await claimSchema(orm, namespace)
  if ((await orm.migrator.getPending()).length === 0) return []
  return inTransaction(orm, async (em) => {
    await lockMigrations(em, namespace)
    const transaction = em.getTransactionContext()
    const taken = await orm.migrator.up(transaction ? { transaction } : {})
    return taken.map(({ name }) => name)
  })
}

/** @throws AuthError `service_unavailable` (503) when the database cannot be reached. */
export const migrationStatus = (orm: Orm, namespace: Namespace): Promise<MigrationStatus> =>
  describingErrors(() => readStatus(orm, namespace))

async function readStatus(orm: Orm, namespace: Namespace): Promise<MigrationStatus> {
  if (!(await hasMigrationsTable(orm.em.fork(), namespace))) {
    return { applied: [], pending: migrations.map(({ name }) => name) }
  }
  const executed = await orm.migrator.getExecuted()
  const pending = await orm.migrator.getPending()
  return {
    applied: executed.map(({ name, executed_at }) => ({ name, appliedAt: new Date(executed_at) })),
    pending: pending.map(({ name }) => name),
  }
}

async function describingErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeDatabaseError(error)
  }
}

/**
 * Makes schema and bookkeeping table, unless a process before us did. Refuses a schema that somebody
 * else lives in: our tables beside theirs would be a mixture that nobody can take apart.
 */
async function claimSchema(orm: Orm, namespace: Namespace): Promise<void> {
  if (await hasMigrationsTable(orm.em.fork(), namespace)) return
  const { schema, namespace: prefix } = namespace
  await inTransaction(orm, async (em) => {
    await lockMigrations(em, namespace)
    if (await hasMigrationsTable(em, namespace)) return
    await refuseForeignSchema(em, schema)
    const [existing] = await em.execute('select 1 from pg_namespace where nspname = ?', [schema])
    if (!existing) await em.execute(`create schema "${schema}"`)
    await em.execute(`create table "${schema}"."${prefix}${migrationsTable}" (
      id serial primary key, name varchar(255) not null,
      executed_at timestamptz not null default current_timestamp)`)
  })
}

/** The statements of the steps that are to come, without taking them. */
export async function plannedStatements(
  { orm, names }: Pick<OpenDatabase, 'orm' | 'names'>,
  namespace: Namespace,
): Promise<string[]> {
  const { pending } = await migrationStatus(orm, namespace)
  const steps = migrations.filter(({ name }) => pending.includes(name))
  return steps.flatMap(({ create }) => {
    const Step = create(names)
    const step = new Step(orm.driver, orm.config)
    step.up()
    return step.getQueries().map(String)
  })
}

/** Reads the catalog: `to_regclass` may answer from a cache that is older than the lock. */
async function hasMigrationsTable(
  em: OrmEntityManager,
  { schema, namespace }: Namespace,
): Promise<boolean> {
  const rows = await em.execute('select 1 from pg_tables where schemaname = ? and tablename = ?', [
    schema,
    namespace + migrationsTable,
  ])
  return rows.length > 0
}

/** Held until the transaction ends. Services that share a schema take turns, too: they make it together. */
async function lockMigrations(em: OrmEntityManager, { schema }: Namespace) {
  const key = `latchkey:migrations:${schema}`
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key])
}
