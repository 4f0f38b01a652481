import type { MigrationStep } from '../../platform/sql/migration.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { onceAtStart } from './foreign-schema.ts'
import { migrationsTable } from './migration.ts'
import { migrations } from './migrations.ts'
import type { Namespace } from './table-names.ts'

/** The applied and the pending steps of the schema. */
export interface MigrationStatus {
  applied: { name: string; appliedAt: Date }[]
  pending: string[]
}

/**
 * Finds the applied and pending steps. A start loads the ORM only where a step is pending.
 *
 * @throws AuthError `service_unavailable` (503) when the database cannot be reached.
 */
export async function migrationStatus(
  sql: Queryable,
  place: Namespace,
  steps: readonly MigrationStep[] = migrations,
): Promise<MigrationStatus> {
  const applied = (await hasMigrationsTable(sql, place)) ? await findApplied(sql) : []
  const taken = new Set(applied.map(({ name }) => name))
  const pending = steps.map(({ name }) => name).filter((name) => !taken.has(name))
  return { applied, pending }
}

const findTable = statement<{ schema: string; table: string }>(
  'find_table',
  (_, $) => `select 1 from pg_tables where schemaname = ${$.schema} and tablename = ${$.table}`,
  { unprepared: onceAtStart },
)

const findSteps = statement<object, { name: string; at: string }>(
  'find_migrations',
  (sql) => `
    select name, to_jsonb(executed_at) #>> '{}' as at
    from ${sql.table(migrationsTable)} order by id`,
  { unprepared: onceAtStart },
)

/** Reads the catalog: the cache of `to_regclass` may be older than a lock. */
export async function hasMigrationsTable(
  sql: Queryable,
  { schema, namespace }: Namespace,
): Promise<boolean> {
  const rows = await sql.query(findTable, { schema, table: namespace + migrationsTable })
  return rows.length > 0
}

async function findApplied(sql: Queryable): Promise<MigrationStatus['applied']> {
  const rows = await sql.query(findSteps, {})
  return rows.map(({ name, at }) => ({ name, appliedAt: new Date(at) }))
}
