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

/** The user whose rows are exported. */
export interface Whose {
  userId: string
  /** The keys of the user's counters: see `accounts/lifecycle/limit-keys-of.ts`. */
  keys: readonly string[]
}

/** The number of rows in a page: the part of an export that a process keeps in memory. */
export const exportedAtOnce = 2_000

/** A page of rows. */
export interface ExportedPage<Row> {
  rows: Row[]
  /** The key of the last row; null if there is no further page. */
  next: string | null
}

type ExportParameters = { whose: string; after: string | null; limit: number }

const exportOf = memoize((table: PersonalTable) => {
  const { name, belongsBy, key = Object.keys(table.columns)[0] } = table
  const pairs = exportedColumns(table).map((column) => `'${camelCase(column)}', r -> '${column}'`)
  return statement<ExportParameters, { row: unknown; key: string }>(
    `export_${name}`,
    (sql, $) => `
      select jsonb_build_object(${pairs.join(', ')}) as row, r ->> '${key}' as key
      from ${sql.table(name)} t, to_jsonb(t) r
      where (${belongs(sql, 't', belongsBy, $.whose)}) and (${$.after}::text is null or t.${key} > (
        select p.${key} from jsonb_populate_record(
          null::${sql.table(name)}, jsonb_build_object('${key}', ${$.after}::text)) p))
      order by t.${key} limit ${$.limit}`,
  )
})

/**
 * Returns a user's rows of a table in the form of an export, one page at a time.
 *
 * @param after the key of the last row of the previous page.
 */
export async function exportRows<Row, Columns extends PersonalTable<Row>['columns']>(
  sql: Queryable,
  table: PersonalTable<Row, Columns>,
  { userId, keys }: Whose,
  after: string | null = null,
): Promise<ExportedPage<ExportedRow<Row, Columns>>> {
  const whose = 'key' in table.belongsBy ? `{${keys.join()}}` : userId
  const page = { whose, after, limit: exportedAtOnce }
  const found = await sql.query(exportOf(table as unknown as PersonalTable), page)
  const rows = found.map(({ row }) => row as ExportedRow<Row, Columns>)
  return { rows, next: found.length < exportedAtOnce ? null : (found.at(-1)?.key ?? null) }
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
