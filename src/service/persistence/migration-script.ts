import type { MigrationStep } from '../../platform/sql/migration.ts'
import { blocksWithoutDefaultGrants } from './default-grants.ts'
import { rejectForeignSchema } from './foreign-schema.ts'
import {
  findSchema,
  migrationsTableCreation,
  type PlannedStep,
  plannedSteps,
  schemaCreation,
} from './migrate.ts'
import { migrationsTable } from './migration.ts'
import { commandPatience, endingTimeLimits, lockKey } from './migration-lock.ts'
import { hasMigrationsTable } from './migration-status.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Namespace } from './table-names.ts'

/**
 * Returns the statements of all pending steps, with those that `migrate` executes around them: the
 * schema, the table of applied steps and its rows, and the privileges. In one transaction they
 * leave the database in the same state. Empty without pending steps.
 *
 * @throws ForeignSchemaError if the schema contains objects of another application.
 */
export async function migrationScript(
  database: Pick<OpenDatabase, 'sql' | 'names'>,
  place: Namespace,
  steps: readonly MigrationStep[],
): Promise<PlannedStep[]> {
  const { sql, names } = database
  const planned = await plannedSteps(database, place, steps)
  if (planned.length === 0) return []
  const schema = literal(place.schema)
  const grants = blocksWithoutDefaultGrants(schema)
  const table = names.table(migrationsTable)
  const isNew = !(await hasMigrationsTable(sql, place))
  if (isNew) await rejectForeignSchema(sql, place.schema)
  const [existing] = await sql.query(findSchema, { schema: place.schema })
  return [
    {
      name: 'before the steps: the lock, the schema and the table of applied steps',
      statements: [
        'set transaction isolation level read committed',
        doBlock(`perform ${endingTimeLimits}`),
        lockBlock(place.schema),
        // A longer wait for a table would block the sign-ins of running instances.
        `set local lock_timeout = ${commandPatience.tableMs}`,
        ...(existing ? [] : [schemaCreation(names.schema)]),
        grants.before,
        isNew ? migrationsTableCreation(names).trim() : requireUnapplied(table, planned),
      ],
    },
    ...planned.map(({ name, statements }) => ({
      name,
      statements: [...statements, `insert into ${table} (name) values (${literal(name)})`],
    })),
    {
      name: 'after the steps: default privileges of the database grant nothing on new tables',
      statements: [grants.after],
    },
  ]
}

/** Waits for a process that migrates. A block returns no row, which psql would print. */
const lockBlock = (schema: string): string =>
  doBlock(`perform pg_advisory_xact_lock(hashtextextended(${literal(lockKey(schema))}, 0))`)

const doBlock = (statement: string): string => `do $latchkey$ begin
  ${statement};
end $latchkey$`

/** Rejects a script that is older than the schema. */
const requireUnapplied = (
  table: string,
  steps: readonly PlannedStep[],
): string => `do $latchkey$ begin
  if exists (select from ${table} where name in (${steps.map(({ name }) => literal(name)).join(', ')})) then
    raise exception 'a step of this plan has been applied: run latchkey migrate plan again';
  end if;
end $latchkey$`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
