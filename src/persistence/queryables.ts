import type { HostEntityManager, HostTransaction } from '../sql/host-transaction.ts'
import type { NamedQuery, Queryable } from '../sql/queryable.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { inEntityManager, inHostTransaction } from './host-statements.ts'
import type { TableNames } from './table-names.ts'

/** The part that we use of `pg`: of its pool, or of one connection. */
interface PgClient {
  query(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
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

/** Sends a statement whose text was built. */
type Run = (name: string, text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Statements of `pg`, planned once per connection unless told not to. */
export const pgQueryable = (client: PgClient, names: TableNames, prepared: boolean): Queryable =>
  queryable(names, (name, text, values) =>
    client.query(prepared ? { name, text, values } : { text, values }),
  )

/** Statements on the one connection of the embedded database. */
export const pgliteQueryable = (client: PgliteTransaction, names: TableNames): Queryable =>
  queryable(names, (_name, text, values) => client.query(text, values))

/** Statements inside a transaction of the host's. */
export function hostQueryable(
  host: HostEntityManager | HostTransaction,
  names: TableNames,
): Queryable {
  const run =
    'getTransactionContext' in host ? inEntityManager(host) : inHostTransaction(host, names)
  return queryable(names, (_name, text, values) => run(text, values))
}

const queryable = (names: TableNames, run: Run): Queryable => ({
  table: names.table,
  insertRows: names.insertRows,
  overwrite: names.overwrite,
  setColumns: names.setColumns,
  query: async <Row>(statement: NamedQuery) => {
    try {
      const { name, values } = statement
      const { rows } = await run(name, names.textOf(statement), [...values])
      return rows as Row[]
    } catch (error) {
      throw describeDatabaseError(error)
    }
  },
})
