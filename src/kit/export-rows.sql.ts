import { type ExportedRow, exportedColumns, type PersonalTable } from './personal-table.ts'
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
  const belongs =
    'key' in belongsBy
      ? `t.${belongsBy.key} = any($1::text[])`
      : belongsBy.ids.map((column) => `t.${column} = $1`).join(' or ')
  const rows = await sql.query<{ row: ExportedRow<Row, Columns> }>({
    name: `export_${name}`,
    text: () => `
      select jsonb_build_object(${pairs.join(', ')}) as row
      from ${sql.table(name)} t, to_jsonb(t) r where ${belongs} order by t.${columns[0]}`,
    values: ['key' in belongsBy ? `{${keys.join()}}` : userId],
  })
  return rows.map(({ row }) => row)
}

const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
