import { Migrator } from '@mikro-orm/migrations'
import type { Options } from '@mikro-orm/postgresql'
import type { Database, UnitOfWork } from '../deps.ts'
import type { Queryable } from '../kit/queryable.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './foreign-schema.ts'
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
  const names = tableNames(namespace, [])
  const orm = await driver.connect({
    entities,
    extensions: [Migrator],
    schema: namespace.schema,
    namingStrategy: prefixedNaming(namespace.namespace),
    forceUtcTimezone: true,
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
  const tables = tableNames(namespace, orm.getMetadata().getAll().values())
  const sql = await driver.queryable(orm, tables)

  const unitOf = (em: OrmEntityManager): UnitOfWork => ({
    em,
    sql: transactionQueryable(em, tables),
  })

  return {
    orm,
    names: tables,
    sql,
    transaction: async (work) => {
      try {
        return await orm.em.fork().transactional((em) => work(unitOf(em)))
      } catch (error) {
        throw describeDatabaseError(error)
      }
    },
    join: (host) => {
      const em = orm.em.fork()
      em.setTransactionContext(host.getTransactionContext())
      return unitOf(em)
    },
    close: async () => {
      await orm.close()
      await driver.release?.()
    },
  }
}
