import type { Queryable } from '../sql/queryable.ts'
import { migrationsTable } from './foreign-schema.ts'
import { type MigrationStep, migrations } from './migrations.ts'
import type { Namespace } from './table-names.ts'

/** Which steps of the schema were taken, and which are to come. */
export interface MigrationStatus {
  applied: { name: string; appliedAt: Date }[]
  pending: string[]
}

/**
 * Looks which steps were taken. A start asks this first, and loads the ORM only where one is to come.
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

/** Reads the catalog: `to_regclass` may answer from a cache that is older than a lock. */
export async function hasMigrationsTable(
  sql: Queryable,
  { schema, namespace }: Namespace,
): Promise<boolean> {
  const rows = await sql.query({
    name: '',
    text: () => 'select 1 from pg_tables where schemaname = $1 and tablename = $2',
    values: [schema, namespace + migrationsTable],
  })
  return rows.length > 0
}

async function findApplied(sql: Queryable): Promise<MigrationStatus['applied']> {
  const rows = await sql.query<{ name: string; at: string }>({
    name: '',
    text: () => `
      select name, to_jsonb(executed_at) #>> '{}' as at
      from ${sql.table(migrationsTable)} order by id`,
    values: [],
  })
  return rows.map(({ name, at }) => ({ name, appliedAt: new Date(at) }))
}
