import type { EntityManager } from '@mikro-orm/core'
import type { NamedQuery, Queryable } from '../kit/queryable.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import type { TableNames } from './table-names.ts'

/** The part of `pg`'s pool that we use. */
export interface PgPool {
  query(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  ending: boolean
  end(): Promise<void>
}

/** The part of PGlite that we use. */
export interface PgliteClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

/** The part of a running Kysely transaction (the ORM's) that we use. */
interface OrmTransaction {
  executeQuery(statement: object): Promise<{ rows: unknown[] }>
}

/** Sends a statement whose text was built. */
type Run = (name: string, text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/** Statements on any connection of a pool, planned once per connection unless told not to. */
export const poolQueryable = (pool: PgPool, names: TableNames, prepared: boolean): Queryable =>
  queryable(names, (name, text, values) =>
    pool.query(prepared ? { name, text, values } : { text, values }),
  )

/** Statements on the one connection of the embedded database. */
export const pgliteQueryable = (client: PgliteClient, names: TableNames): Queryable =>
  queryable(names, (_name, text, values) => client.query(text, values))

/** Statements inside the transaction that the entity manager runs. */
export function transactionQueryable(em: EntityManager, names: TableNames): Queryable {
  const transaction = em.getTransactionContext() as OrmTransaction | undefined
  if (!transaction) throw new TypeError('the entity manager runs no transaction')
  return queryable(names, (_name, text, values) =>
    transaction.executeQuery({
      sql: text,
      parameters: values,
      query: { kind: 'RawNode', sqlFragments: [text], parameters: [] },
      queryId: {},
    }),
  )
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
