import { CompiledQuery } from 'kysely'
import type { HostTransaction } from '../../platform/sql/host-transaction.ts'

// The libraries are declared by the parts that are used, so that none of them has to be installed.

/** A transaction of Drizzle: the argument of the callback of `db.transaction`. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>
}

/** A transaction of Kysely: the argument of the callback of `db.transaction().execute`. */
export interface KyselyTransaction {
  executeQuery(query: never): Promise<unknown>
}

/** A transaction of Knex: the argument of the callback of `knex.transaction`. */
export interface KnexTransaction {
  readonly isTransaction?: boolean | undefined
  readonly client: {
    acquireConnection(): Promise<{ query(text: string, values: never): PromiseLike<unknown> }>
  }
}

/** A transaction of Prisma with `@prisma/adapter-pg`: the argument of `$transaction`'s callback. */
export interface PrismaTransaction {
  $queryRawUnsafe(query: string, ...values: never[]): PromiseLike<unknown>
}

/** A transaction of postgres.js: the argument of the callback of `sql.begin`. */
export interface PostgresTransaction {
  unsafe(query: string, parameters: never): PromiseLike<unknown>
  typed(value: never, type: number): unknown
}

/** A transaction of TypeORM: the `EntityManager` of `dataSource.transaction`. */
export interface TypeormTransaction {
  readonly queryRunner?:
    | { query(query: string, parameters: never, useStructuredResult: true): Promise<unknown> }
    | undefined
}

/**
 * Joins a transaction of Drizzle 0.45.
 *
 * @example await auth.admin.createUser({ email }, { tx: drizzleTx(trx) })
 */
export const drizzleTx = (trx: DrizzleTransaction): HostTransaction => ({
  query: async (sql, params) => {
    const query = { getSQL: () => ({ toQuery: () => ({ sql, params }) }) }
    return trx.execute(query as never)
  },
})

/** Joins a transaction of Kysely 0.29. */
export const kyselyTx = (trx: KyselyTransaction): HostTransaction => ({
  query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values) as never),
})

/**
 * Joins a transaction of Knex 3.
 *
 * @throws TypeError if the argument is not a transaction.
 */
export function knexTx(trx: KnexTransaction): HostTransaction {
  if (trx.isTransaction !== true) throw new TypeError('trx is not a transaction of Knex')
  return {
    query: async (text, values) => {
      const connection = await trx.client.acquireConnection()
      return connection.query(text, values as never)
    },
  }
}

/** Joins a transaction of Prisma 7 with `@prisma/adapter-pg`. */
export const prismaTx = (trx: PrismaTransaction): HostTransaction => ({
  query: async (text, values) => trx.$queryRawUnsafe(text, ...(values as never[])),
})

/** The type `unknown` of PostgreSQL: the server determines the type of the value. */
const unknownType = 705

/** Joins a transaction of postgres.js 3. */
export const postgresTx = (trx: PostgresTransaction): HostTransaction => ({
  query: async (text, values) => {
    const typed = values.map((value) =>
      typeof value === 'string' ? trx.typed(value as never, unknownType) : value,
    )
    return trx.unsafe(text, typed as never)
  },
})

/**
 * Joins a transaction of TypeORM 1.
 *
 * @throws TypeError if the manager is not one of a transaction.
 */
export function typeormTx({ queryRunner }: TypeormTransaction): HostTransaction {
  if (!queryRunner) throw new TypeError('the EntityManager has no transaction')
  return {
    query: async (text, values) => {
      const result = await queryRunner.query(text, values as never, true)
      return (result as { records?: unknown } | undefined)?.records
    },
  }
}
