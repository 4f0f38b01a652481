import { PrismaPg } from '@prisma/adapter-pg'
import { getPrismaClient } from '@prisma/client/runtime/client'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { DataSource, type EntityManager } from 'typeorm'
import {
  drizzleTx,
  knexTx,
  kyselyTx,
  postgresTx,
  prismaTx,
  typeormTx,
} from '../../src/hosts/transactions/transactions.ts'
import type { CallOptions } from '../../src/index.ts'
import { inTransaction } from './host.ts'

/** An application with transactions of a library. */
export interface LibraryHost {
  /** Runs the work in a transaction, which is rolled back when it throws. */
  transaction<T>(work: (joined: CallOptions) => Promise<T>): Promise<T>
  /** A connection without a transaction, which is a mistake of the host. */
  outsideTransaction: CallOptions
  close(): Promise<void>
}

/** Hosts by their names in `docs/users.md`, which contains the `tx` of each. */
export const hostLibraries: Record<string, (url: string) => Promise<LibraryHost>> = {
  pg: async (url) => {
    const pool = patientPool(url)
    return {
      transaction: (work) => inTransaction(pool, (client) => work({ tx: client })),
      outsideTransaction: { tx: pool },
      close: () => pool.end(),
    }
  },
  Drizzle: async (url) => {
    const pool = patientPool(url)
    const db = drizzle(pool)
    const joining = (trx: Pick<typeof db, 'execute'>): CallOptions => ({
      tx: drizzleTx(trx),
    })
    return {
      transaction: (work) => db.transaction((trx) => work(joining(trx))),
      outsideTransaction: joining(db),
      close: () => pool.end(),
    }
  },
  Kysely: async (url) => {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: patientPool(url) }) })
    const joining = (trx: Kysely<unknown>): CallOptions => ({
      tx: kyselyTx(trx),
    })
    return {
      transaction: (work) => db.transaction().execute((trx) => work(joining(trx))),
      outsideTransaction: joining(db),
      close: () => db.destroy(),
    }
  },
  Knex: async (url) => {
    const db = knex({ client: 'pg', connection: url })
    const connection = await db.client.acquireConnection()
    return {
      transaction: (work) => db.transaction((trx) => work({ tx: knexTx(trx) })),
      outsideTransaction: { tx: connection },
      close: async () => {
        db.client.releaseConnection(connection)
        await db.destroy()
      },
    }
  },
  Prisma: async (url) => {
    const prisma = new PrismaClient({ adapter: new PrismaPg(patientPool(url)) })
    const joining = (trx: Pick<typeof prisma, '$queryRawUnsafe'>): CallOptions => ({
      tx: prismaTx(trx),
    })
    return {
      transaction: (work) =>
        prisma.$transaction((trx: typeof prisma) => work(joining(trx)), { timeout: 20_000 }),
      outsideTransaction: joining(prisma),
      close: () => prisma.$disconnect(),
    }
  },
  'postgres.js': async (url) => {
    const db = postgres(url)
    const joining = (trx: postgres.Sql | postgres.TransactionSql): CallOptions => ({
      tx: postgresTx(trx),
    })
    return {
      transaction: async <T>(work: (joined: CallOptions) => Promise<T>) =>
        (await db.begin((trx) => work(joining(trx)))) as T,
      outsideTransaction: joining(db),
      close: () => db.end(),
    }
  },
  TypeORM: async (url) => {
    const source = await new DataSource({ type: 'postgres', url }).initialize()
    const runner = source.createQueryRunner()
    const joining = (manager: Pick<EntityManager, 'queryRunner'>): CallOptions => ({
      tx: typeormTx(manager),
    })
    return {
      transaction: (work) => source.transaction((manager) => work(joining(manager))),
      outsideTransaction: joining({ queryRunner: runner }),
      close: async () => {
        await runner.release()
        await source.destroy()
      },
    }
  },
}

/**
 * Returns a pool with listeners, since an error of an idle connection would end the process
 * otherwise.
 */
function patientPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString })
  pool.on('error', () => {})
  return pool.on('connect', (client) => client.on('error', () => {}))
}

// The output of `prisma generate` for a schema without models. The command itself has a hundred
// packages and 300 MB, and would add nothing.
export const PrismaClient = getPrismaClient({
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: 'unknown',
  activeProvider: 'postgresql',
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: 'AAAAAAAAAAA=' },
  compilerWasm: {
    // @ts-expect-error: it has no types
    getRuntime: () => import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs'),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import(prismaCompiler)
      // @ts-expect-error
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'))
    },
    importName: './query_compiler_fast_bg.js',
  },
})
const prismaCompiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs'
