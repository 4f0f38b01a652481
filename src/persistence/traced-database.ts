import { errorTypeOf, secondsSince, type Telemetry } from '../observability/telemetry.ts'
import type { Queryable } from '../sql/queryable.ts'
import type { OpenDatabase } from './open-database.ts'

const system = { 'db.system.name': 'postgresql' } as const

/** A database whose statements are spans and figures. Its text is no part of them, and its values never are. */
export function tracedDatabase(database: OpenDatabase, telemetry: Telemetry | null): OpenDatabase {
  if (!telemetry) return database
  const traced = (sql: Queryable) => tracedQueryable(sql, telemetry)
  return {
    ...database,
    sql: traced(database.sql),
    transaction: (work) =>
      telemetry.run({ name: 'transaction', kind: 'client', attributes: system, isPart: true }, () =>
        database.transaction(({ sql }) => work({ sql: traced(sql) })),
      ),
    join: (host) => {
      const joined = database.join(host)
      return { ...joined, sql: traced(joined.sql) }
    },
  }
}

/** @see OpenTelemetry, "Semantic conventions for database client calls": a summary in place of a name is of few words */
const tracedQueryable = (sql: Queryable, telemetry: Telemetry): Queryable => ({
  table: sql.table,
  query: async (statement, values) => {
    const attributes = { ...system, 'db.query.summary': statement.name }
    const step = { name: statement.name, kind: 'client', attributes, isPart: true } as const
    const startedAt = performance.now()
    try {
      const rows = await telemetry.run(step, () => sql.query(statement, values))
      telemetry.time('db.client.operation.duration', secondsSince(startedAt), attributes)
      return rows
    } catch (error) {
      const failed = { ...attributes, 'error.type': errorTypeOf(error) }
      telemetry.time('db.client.operation.duration', secondsSince(startedAt), failed)
      throw error
    }
  },
})
