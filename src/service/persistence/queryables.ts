import type pg from 'pg'
import type { HostEntityManager, HostTransaction } from '../../platform/sql/host-transaction.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { orderValues, type ParameterValues, type Statement } from '../../platform/sql/statement.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { inEntityManager, inHostTransaction } from './host-statements.ts'
import { PreparedQuery } from './prepared-query.ts'
import type { RequireSameDatabase } from './same-database.ts'
import type { TableNames } from './table-names.ts'

/** The part of `pg` that we use: of its pool, or of one connection. */
interface PgClient {
  query(statement: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  query(prepared: PreparedQuery, done: (error: unknown, rows?: unknown[]) => void): unknown
}

/** The way in which statements are sent. */
interface PgSending {
  /** Whether the server keeps their plans. */
  isPrepared: boolean
  types: pg.CustomTypesConfig
}

/** The part of PGlite that we use. */
export interface PgliteClient extends PgliteTransaction {
  transaction<T>(work: (transaction: PgliteTransaction) => Promise<T>): Promise<T>
  closed: boolean
  close(): Promise<void>
}

interface PgliteTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

/** Sends a statement with its text. Without a name, the server keeps no plan of it. */
type Run = (name: string, text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Statements of `pg`, planned once per connection unless that is disabled. */
export const pgQueryable = (
  client: PgClient,
  names: TableNames,
  { isPrepared, types }: PgSending,
): Queryable =>
  queryable(names, (name, text, values) => {
    if (!isPrepared || name === '') return client.query({ text, values })
    return new Promise((resolve, reject) => {
      client.query(new PreparedQuery({ name, text, values }, types), (error, rows = []) => {
        if (error) reject(error)
        else resolve({ rows })
      })
    })
  })

/** Statements on the one connection of the embedded database. */
export const pgliteQueryable = (client: PgliteTransaction, names: TableNames): Queryable =>
  queryable(names, (_name, text, values) => client.query(text, values))

/** Statements inside a transaction of the host. */
export function hostQueryable(
  host: HostEntityManager | HostTransaction,
  names: TableNames,
  requireSameDatabase: RequireSameDatabase,
): Queryable {
  const run =
    'getTransactionContext' in host
      ? inEntityManager(host, requireSameDatabase)
      : inHostTransaction(host, names, requireSameDatabase)
  return queryable(names, (_name, text, values) => run(text, values))
}

const queryable = (names: TableNames, run: Run): Queryable => ({
  table: names.table,
  query: async <Parameters, Row>(statement: Statement<Parameters, Row>, given: Parameters) => {
    try {
      const values = given as ParameterValues
      const built = names.built(statement, values)
      const { rows } = await run(built.planName, built.text, orderValues(built, values))
      return rows as Row[]
    } catch (error) {
      throw describeDatabaseError(error, names.isOurs)
    }
  },
})
