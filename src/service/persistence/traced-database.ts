import { memoize } from '../../platform/kit/memoize.ts'
import {
  errorTypeOf,
  type Step,
  secondsSince,
  type Telemetry,
} from '../../platform/observability/telemetry.ts'
import type { PoolLoad } from '../../platform/sql/database.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import type { OpenDatabase } from './open-database.ts'

const system = { 'db.system.name': 'postgresql' } as const

const transaction = {
  name: 'transaction',
  kind: 'client',
  attributes: system,
  isPart: true,
} as const satisfies Step

/** Returns the span of a statement, which is created once per statement. */
const stepOf = memoize(({ name }: { readonly name: string }) => {
  const attributes = { ...system, 'db.query.summary': name }
  return { name, kind: 'client', attributes, isPart: true, isLeaf: true } as const satisfies Step
})

/** Wraps a database so that statements become spans and metrics, without their text and values. */
export function tracedDatabase(database: OpenDatabase, telemetry: Telemetry | null): OpenDatabase {
  if (!telemetry) return database
  if (database.load) watchPool(database.load, telemetry)
  const traced = (sql: Queryable) => tracedQueryable(sql, telemetry)
  return {
    ...database,
    sql: traced(database.sql),
    transaction: (work) =>
      telemetry.run(transaction, () =>
        database.transaction(({ sql }) => work({ sql: traced(sql) })),
      ),
    join: (host) => {
      const joined = database.join(host)
      return { ...joined, sql: traced(joined.sql) }
    },
  }
}

/** @see OpenTelemetry, "Semantic conventions for database client metrics" */
function watchPool(load: () => PoolLoad, telemetry: Telemetry): void {
  const name = { 'db.client.connection.pool.name': 'latchkey' }
  const inState = (state: 'used' | 'idle') => ({
    value: load()[state],
    attributes: { ...name, 'db.client.connection.state': state },
  })
  telemetry.observe('db.client.connection.count', () => [inState('used'), inState('idle')])
  telemetry.observe('db.client.connection.pending_requests', () => [
    { value: load().waiting, attributes: name },
  ])
}

/**
 * @see OpenTelemetry, "Semantic conventions for database client calls": a summary in place of a
 *   name has few words
 */
export const tracedQueryable = (sql: Queryable, telemetry: Telemetry): Queryable => ({
  table: sql.table,
  query: async (statement, values) => {
    const step = stepOf(statement)
    const { attributes } = step
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
