import type { MikroORM as PgliteOrm } from '@mikro-orm/pglite'
import { lockFolder } from './folder-lock.ts'
import type { DatabaseDriver } from './open-database.ts'
import type { Orm } from './orm.ts'
import { type PgliteClient, pgliteQueryable } from './queryables.ts'

/** The optional package that holds the embedded database is not installed. */
export class EmbeddedPostgresMissingError extends Error {
  override readonly name = 'EmbeddedPostgresMissingError'
}

/**
 * PostgreSQL inside this process (PGlite), keeping its data in a folder. For development and trying
 * out: it has one connection and takes half a gigabyte.
 *
 * @param folder where the data is; made when missing. A second user of it is refused.
 */
export function embeddedPostgresDriver(folder: string): DatabaseDriver {
  let unlock: (() => Promise<void>) | undefined
  return {
    connect: async (options) => {
      const { MikroORM } = await importPglite()
      unlock = await lockFolder(folder)
      const orm = await MikroORM.init({
        ...(options as object),
        dbName: 'postgres',
        driverOptions: { dataDir: folder },
      })
      // The two ORMs share every method that we call; only the class of their driver differs.
      return orm as unknown as Orm
    },
    queryable: async (orm, names) => {
      const { driver } = orm as unknown as PgliteOrm
      const client: PgliteClient = await driver.getConnection().getNativeClient()
      return pgliteQueryable(client, names)
    },
    release: async () => unlock?.(),
  }
}

async function importPglite() {
  try {
    return await import('@mikro-orm/pglite')
  } catch (error) {
    throw new EmbeddedPostgresMissingError(
      'The embedded database needs the package @mikro-orm/pglite: install it, or set a database URL',
      { cause: error },
    )
  }
}
