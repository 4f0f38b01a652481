import { type SourceConnection, SourceError } from './source-connection.ts'

/** The tables and columns of the source. Older releases of GoTrue lack some. */
export interface SourceLayout {
  /** The quoted, schema-qualified name of a table. */
  table(name: string): string
  has(table: string, column?: string): boolean
}

/** @throws SourceError if the schema is not that of GoTrue. */
export async function readLayout(source: SourceConnection, schema: string): Promise<SourceLayout> {
  const rows = await source.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm')
     group by c.relname`,
    [schema],
  )
  const tables = new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
  const has = (table: string, column?: string) =>
    column === undefined ? tables.has(table) : tables.get(table)?.has(column) === true
  if (!has('users', 'encrypted_password')) {
    throw new SourceError(
      `The schema "${schema}" of the source contains no GoTrue users; --schema names another one`,
    )
  }
  return { has, table: (name) => `${quoted(schema)}.${quoted(name)}` }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
