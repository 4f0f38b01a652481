import type { Queryable } from '../../src/platform/sql/queryable.ts'
import { orderValues, type ParameterValues, statement } from '../../src/platform/sql/statement.ts'
import { tableNames } from '../../src/service/persistence/table-names.ts'

/** A statement as it is sent: its text, and its values in order. */
export interface BuiltQuery {
  text: string
  values: unknown[]
}

/** A `Queryable` that records statements. They are not executed and return no rows. */
export function recordingSql(place = { schema: 'auth', namespace: '' }) {
  const requested: BuiltQuery[] = []
  const names = tableNames(place)
  const query: Queryable['query'] = async (one, given) => {
    const values = given as ParameterValues
    const built = names.built(one, values)
    requested.push({ text: built.text, values: orderValues(built, values) })
    return []
  }
  const sql: Queryable = { table: names.table, query }
  return { requested, sql }
}

/** Converts a value to the text that PostgreSQL receives, as a driver does. */
function asText(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.join()}}`
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** Runs a text with numbered parameters. */
export const runText = <Row = Record<string, unknown>>(
  sql: Queryable,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const once = statement<Record<string, string>, Row>(
    'test',
    (_, $) =>
      text.replaceAll(/\$(\d+)(?![\w$])/g, (_placeholder, number: string) => String($[number])),
    { unprepared: 'it is run once' },
  )
  const given = values.map((value, at) => [at + 1, asText(value)])
  return sql.query(once, Object.fromEntries(given))
}
