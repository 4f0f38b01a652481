import { randomUUID } from 'node:crypto'
import { Migrator } from '@mikro-orm/migrations'
import type { MikroORM, Options, SqlEntityManager } from '@mikro-orm/postgresql'
import { builtInCapabilities } from '../capabilities.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './migration.ts'
import { prefixedNaming } from './naming.ts'
import type { Namespace } from './table-names.ts'

/** The ORM, on a PostgreSQL server or on the embedded one; only the drivers differ. */
export type Orm = MikroORM

export type OrmEntityManager = SqlEntityManager

/**
 * The options of the ORM for any database. This file loads the ORM, so it is imported only by
 * `import()`, when the ORM is needed.
 */
export async function ormOptions(place: Namespace): Promise<Options> {
  const ofCapabilities = await Promise.all(builtInCapabilities.map((one) => one.entities()))
  return {
    entities: [...entities, ...ofCapabilities.flat()],
    // MikroORM finds a running transaction by this name: that of the host must not be found.
    contextName: `latchkey-${randomUUID()}`,
    extensions: [Migrator],
    schema: place.schema,
    namingStrategy: prefixedNaming(place.namespace),
    forceUtcTimezone: true,
    // The operator has created the database.
    ensureDatabase: false,
    // Its own messages would contain statements with their values.
    logger: () => {},
    migrations: {
      tableName: `${place.schema}.${place.namespace}${migrationsTable}`,
      snapshot: false,
      silent: true,
      allOrNothing: true,
    },
  }
}
