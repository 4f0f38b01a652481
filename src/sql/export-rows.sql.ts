import {
  type Belonging,
  type ExportedRow,
  exportedColumns,
  type PersonalTable,
} from './personal-table.ts'
import type { Queryable } from './queryable.ts'

/** Whose rows are wanted. */
export interface Whose {
  userId: string
  /** What is counted of the person, it is counted under these: see `steps/limit-keys-of.ts`. */
  keys: readonly string[]
}

/** The rows of a table that are a person's, as the person gets them. */
export async function exportRows<Row, Columns extends PersonalTable<Row>['columns']>(
  sql: Queryable,
  table: PersonalTable<Row, Columns>,
  { userId, keys }: Whose,
): Promise<ExportedRow<Row, Columns>[]> {
  const { name, belongsBy } = table
  const columns = exportedColumns(table)
  const pairs = columns.map((column) => `'${camelCase(column)}', r -> '${column}'`)
  const rows = await sql.query<{ row: ExportedRow<Row, Columns> }>({
    name: `export_${name}`,
    text: () => `
      select jsonb_build_object(${pairs.join(', ')}) as row
      from ${sql.table(name)} t, to_jsonb(t) r 
      where ${belongs(sql, 't', belongsBy)} order by t.${columns[0]}`,
    values: ['key' in belongsBy ? `{${keys.join()}}` : userId],
  })
  return rows.map(({ row }) => row)
}

function belongs(sql: Queryable, row: string, by: Belonging): string {
  if ('key' in by) return `${row}.${by.key} = any($1::text[])`
  if ('ids' in by) return by.ids.map((column) => `${row}.${column} = $1`).join(' or ')
  const { parent, column } = by
  return `${row}.${column} in (
    select p.id from ${sql.table(parent.name)} p where ${belongs(sql, 'p', parent.belongsBy)})`
}

const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
