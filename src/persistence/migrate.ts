import { migrationsTable, refuseForeignSchema } from './foreign-schema.ts'
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
 */
export async function migrate(orm: Orm, namespace: Namespace): Promise<string[]> {
  await claimSchema(orm, namespace)
  if ((await orm.migrator.getPending()).length === 0) return []
  return orm.em.fork().transactional(async (em) => {
    await lockMigrations(em, namespace)
    const transaction = em.getTransactionContext()
    const taken = await orm.migrator.up(transaction ? { transaction } : {})
    return taken.map(({ name }) => name)
  })
}

export async function migrationStatus(orm: Orm, namespace: Namespace): Promise<MigrationStatus> {
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

/**
 * Makes schema and bookkeeping table, unless a process before us did. Refuses a schema that somebody
 * else lives in: our tables beside theirs would be a mixture that nobody can take apart.
 */
async function claimSchema(orm: Orm, namespace: Namespace): Promise<void> {
  if (await hasMigrationsTable(orm.em.fork(), namespace)) return
  const { schema, namespace: prefix } = namespace
  await orm.em.fork().transactional(async (em) => {
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

async function hasMigrationsTable(
  em: OrmEntityManager,
  { schema, namespace }: Namespace,
): Promise<boolean> {
  const name = `"${schema}"."${namespace}${migrationsTable}"`
  const [row] = await em.execute<{ found: boolean }[]>(
    'select to_regclass(?) is not null as found',
    [name],
  )
  return row?.found ?? false
}

/** Held until the transaction ends. */
async function lockMigrations(em: OrmEntityManager, { schema, namespace }: Namespace) {
  const key = `latchkey:migrations:${schema}:${namespace}`
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key])
}
