import { randomUUID } from 'node:crypto'
import { Migrator } from '@mikro-orm/migrations'
import type { Options } from '@mikro-orm/postgresql'
import type { Database, UnitOfWork } from '../deps.ts'
import type { Queryable } from '../kit/queryable.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './foreign-schema.ts'
import { inTransaction } from './in-transaction.ts'
import { migrations } from './migrations.ts'
import { prefixedNaming } from './naming.ts'
import type { Orm, OrmEntityManager } from './orm.ts'
import { transactionQueryable } from './queryables.ts'
import { type Namespace, type TableNames, tableNames } from './table-names.ts'

/** An open database together with what only its keeper may do. */
export interface OpenDatabase extends Database {
  orm: Orm
  names: TableNames
  close(): Promise<void>
}

/** What makes a server and the embedded database differ. */
export interface DatabaseDriver {
  connect(options: Options): Promise<Orm>
  queryable(orm: Orm, names: TableNames): Promise<Queryable>
  /** Runs after the ORM has closed. */
  release?(): Promise<void>
}

/** Opens the database; connects when first used. */
export async function openDatabase(
  driver: DatabaseDriver,
  namespace: Namespace,
): Promise<OpenDatabase> {
  const names = tableNames(namespace)
  const orm = await driver.connect({
    entities,
    // MikroORM finds a running transaction by this name: the host's own must not be taken for ours.
    contextName: `latchkey-${randomUUID()}`,
    extensions: [Migrator],
    schema: namespace.schema,
    namingStrategy: prefixedNaming(namespace.namespace),
    forceUtcTimezone: true,
    // Whoever may create databases has done so.
    ensureDatabase: false,
    // Its own messages would hold statements with their values.
    logger: () => {},
    migrations: {
      tableName: `${namespace.schema}.${namespace.namespace}${migrationsTable}`,
      migrationsList: migrations.map(({ name, create }) => ({ name, class: create(names) })),
      snapshot: false,
      silent: true,
      allOrNothing: true,
    },
  })
  const close = async () => {
    await orm.close()
    await driver.release?.()
  }
  const sql = await driver.queryable(orm, names).catch(async (error: unknown) => {
    await close()
    throw error
  })

  const unitOf = (em: OrmEntityManager): UnitOfWork => ({
    em,
    sql: transactionQueryable(em, names),
  })

  return {
    orm,
    names,
    sql,
    transaction: (work) => described(() => inTransaction(orm, (em) => work(unitOf(em)))),
    join: (host) => {
      const em = orm.em.fork()
      em.setTransactionContext(host.getTransactionContext())
      return { ...unitOf(em), run: described }
    },
    close,
  }
}

async function described<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeDatabaseError(error)
  }
}
