import { ForeignSchemaError } from '../../platform/errors/start-errors.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { migrationsTable } from './migration.ts'

/** The reason why the server keeps no plan of statements at start. */
export const onceAtStart = 'runs once, at the start'

const helperFunctions = new Set(['jwt', 'uid', 'role', 'email'])

/**
 * Throws {@link ForeignSchemaError} when a schema contains objects of others. Tables of another
 * Latchkey with another prefix are permitted, and so are objects of extensions.
 */
export async function rejectForeignSchema(sql: Queryable, schema: string): Promise<void> {
  const tables = await namesOf(sql, findTables, schema)
  const functions = await namesOf(sql, findFunctions, schema)
  const prefixes = tables
    .filter((name) => name.endsWith(migrationsTable))
    .map((name) => name.slice(0, -migrationsTable.length))

  const isOurs = (table: string) => prefixes.some((prefix) => table.startsWith(prefix))
  const foreign = [
    ...tables.filter((name) => !isOurs(name)),
    ...functions.filter((name) => prefixes.length === 0 || !helperFunctions.has(name)),
  ]
  if (foreign.length === 0) return
  throw new ForeignSchemaError(
    `The schema "${schema}" contains objects that are not Latchkey's (${foreign.slice(0, 3).join(', ')}). ` +
      'Set another schema (AUTH_DB_SCHEMA, in code `database.schema`), or import the users of an existing auth service with ' +
      '`latchkey import gotrue`.',
  )
}

/** Finds names in a catalog whose columns begin with `prefix`, without objects of extensions. */
const findNames = (catalog: 'pg_class' | 'pg_proc', prefix: 'rel' | 'pro') =>
  statement<{ schema: string }, { name: string }>(
    `find_names_in_${catalog}`,
    (_, $) => `
      select o.${prefix}name as name from ${catalog} o
      join pg_namespace n on n.oid = o.${prefix}namespace
      where n.nspname = ${$.schema}
        and not exists (select from pg_depend d where d.objid = o.oid and d.deptype = 'e')
      order by 1`,
    { unprepared: onceAtStart },
  )

const findTables = findNames('pg_class', 'rel')
const findFunctions = findNames('pg_proc', 'pro')

async function namesOf(sql: Queryable, find: typeof findTables, schema: string): Promise<string[]> {
  const rows = await sql.query(find, { schema })
  return rows.map((row) => row.name)
}
