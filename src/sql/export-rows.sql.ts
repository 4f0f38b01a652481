import { memoize } from '../kit/memoize.ts'
import {
  type Belonging,
  type ExportedRow,
  exportedColumns,
  type PersonalTable,
} from './personal-table.ts'
import type { Queryable } from './queryable.ts'
import { statement } from './statement.ts'
import type { TableFragments } from './tables.ts'

/** Whose rows are wanted. */
export interface Whose {
  userId: string
  /** What is counted of the person, it is counted under these: see `steps/limit-keys-of.ts`. */
  keys: readonly string[]
}

const exportOf = memoize((table: PersonalTable) => {
  const { name, belongsBy } = table
  const columns = exportedColumns(table)
  const pairs = columns.map((column) => `'${camelCase(column)}', r -> '${column}'`)
  return statement<{ whose: string }, { row: unknown }>(
    `export_${name}`,
    (sql, $) => `
      select jsonb_build_object(${pairs.join(', ')}) as row
      from ${sql.table(name)} t, to_jsonb(t) r 
      where ${belongs(sql, 't', belongsBy, $.whose)} order by t.${columns[0]}`,
  )
})

/** The rows of a table that are a person's, as the person gets them. */
export async function exportRows<Row, Columns extends PersonalTable<Row>['columns']>(
  sql: Queryable,
  table: PersonalTable<Row, Columns>,
  { userId, keys }: Whose,
): Promise<ExportedRow<Row, Columns>[]> {
  const whose = 'key' in table.belongsBy ? `{${keys.join()}}` : userId
  const rows = await sql.query(exportOf(table as unknown as PersonalTable), { whose })
  return rows.map(({ row }) => row as ExportedRow<Row, Columns>)
}

function belongs(sql: TableFragments, row: string, by: Belonging, whose: string): string {
  if ('key' in by) return `${row}.${by.key} = any(${whose}::text[])`
  if ('ids' in by) return by.ids.map((column) => `${row}.${column} = ${whose}`).join(' or ')
  const { parent, column } = by
  return `${row}.${column} in (
    select p.id from ${sql.table(parent.name)} p
    where ${belongs(sql, 'p', parent.belongsBy, whose)})`
}

const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
