import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { columns } from './columns.ts'
import { onceAtStart } from './foreign-schema.ts'
import type { Namespace } from './table-names.ts'

const findReadOnly = statement<
  { schema: string; tables: string },
  { read_only: boolean; tables: readonly string[] }
>(
  'find_read_only',
  (_, $) => `
    select current_setting('transaction_read_only')::boolean as read_only, array(
      select t.tablename::text from jsonb_array_elements_text(${$.tables}::jsonb) name
      join pg_tables t on t.schemaname = ${$.schema} and t.tablename = name
      where not has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'insert')
      order by 1
    ) as tables`,
  { unprepared: onceAtStart },
)

/**
 * The reason why this connection cannot write to our tables; null where it can. A standby of PostgreSQL accepts
 * connections and reads, as does a user without privileges.
 */
export async function writeFault(
  sql: Queryable,
  { schema, namespace }: Namespace,
): Promise<string | null> {
  const tables = JSON.stringify(Object.keys(columns).map((name) => namespace + name))
  const [row] = await sql.query(findReadOnly, { schema, tables })
  if (row?.read_only) return 'the database is read-only'
  const [first, ...more] = row?.tables ?? []
  if (first === undefined) return null
  const others = more.length > 0 ? ` and ${more.length} other tables` : ''
  return `the database user may not write to ${first}${others}`
}
