import { randomUUID } from 'node:crypto'
import { Migrator } from '@mikro-orm/migrations'
import type { Options } from '@mikro-orm/postgresql'
import { builtInCapabilities } from '../capabilities.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './migration.ts'
import { prefixedNaming } from './naming.ts'
import type { Namespace } from './table-names.ts'

/**
 * How the ORM is set up, wherever the database is. This file loads the ORM, so that nothing imports it
 * but `import()`, at the moment that the ORM is needed.
 */
export async function ormOptions(place: Namespace): Promise<Options> {
  const ofCapabilities = await Promise.all(builtInCapabilities.map((one) => one.entities()))
  return {
    entities: [...entities, ...ofCapabilities.flat()],
    // MikroORM finds a running transaction by this name: the host's own must not be taken for ours.
    contextName: `latchkey-${randomUUID()}`,
    extensions: [Migrator],
    schema: place.schema,
    namingStrategy: prefixedNaming(place.namespace),
    forceUtcTimezone: true,
    // Whoever may create databases has done so.
    ensureDatabase: false,
    // Its own messages would hold statements with their values.
    logger: () => {},
    migrations: {
      tableName: `${place.schema}.${place.namespace}${migrationsTable}`,
      snapshot: false,
      silent: true,
      allOrNothing: true,
    },
  }
}
