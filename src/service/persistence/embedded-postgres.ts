import type { MikroORM as PgliteOrm } from '@mikro-orm/pglite'
import { EmbeddedPostgresMissingError } from '../../platform/errors/start-errors.ts'
import { lockFolder } from './folder-lock.ts'
import type { DatabaseDriver } from './open-database.ts'
import type { Orm } from './orm-options.ts'
import { beginCreation, openPreparedData } from './prepared-data.ts'
import { type PgliteClient, pgliteQueryable } from './queryables.ts'

/**
 * Opens PostgreSQL inside this process (PGlite), with its data in a folder. For development: it has
 * one connection and takes half a gigabyte; the memory of the ORM that opens it is small in
 * comparison.
 *
 * @param folder the data folder, created when missing. A second user of it is rejected. Null: in
 *   memory only.
 * @param prepared the folder of the prepared data of this machine; null to use none.
 */
export const embeddedPostgresDriver =
  (folder: string | null, prepared: string | null = null): DatabaseDriver =>
  async (place, names) => {
    const { MikroORM } = await importPglite()
    const { ormOptions } = await import('./orm-options.ts')
    const unlock = folder === null ? async () => {} : await lockFolder(folder)
    const data = prepared === null ? null : openPreparedData({ place, names, root: prepared })
    let isCreated = false as boolean
    const open = async () => {
      const endCreation = folder === null ? null : await beginCreation(folder)
      // A full or read-only disk must not prevent what works without a copy.
      const isCopied =
        folder !== null && endCreation && (await data?.copyTo(folder).catch(() => false))
      isCreated = endCreation !== null && !isCopied
      const options: object = await ormOptions(place)
      const orm = await MikroORM.init({
        ...options,
        dbName: 'postgres',
        driverOptions: {
          dataDir: folder ?? 'memory://',
          ...((isCreated || folder === null) && { loadDataDir: await importCluster() }),
        },
      })
      const client = await openClient(orm)
      await endCreation?.()
      return { orm, client }
    }
    const { orm, client } = await open().catch(async (error: unknown) => {
      await unlock()
      throw error
    })
    return {
      sql: pgliteQueryable(client, names),
      transaction: (work) => client.transaction((one) => work(pgliteQueryable(one, names))),
      // The two ORMs share every method that we call; only the class of their driver differs.
      withOrm: (work) => work(orm as unknown as Orm),
      ...(isCreated &&
        folder !== null && {
          keepPrepared: async () => {
            await client.query('checkpoint', [])
            await data?.storeFrom(folder)
          },
        }),
      close: async () => {
        await orm.close()
        // The ORM closes it only if the ORM has run a statement.
        if (!client.closed) await client.close()
        await unlock()
      },
    }
  }

/**
 * Returns the files of an empty database, because PostgreSQL takes seconds to create them.
 * Undefined where npm has not installed their optional package: then PostgreSQL creates them.
 */
async function importCluster(): Promise<Cluster | undefined> {
  try {
    const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
    const archive = await dataDir()
    return { arrayBuffer: () => archive.arrayBuffer(), type: 'application/gzip' }
  } catch {
    return undefined
  }
}

/** The members of a `Blob` that PGlite uses. The ORM clones its options, except functions. */
type Cluster = Pick<Blob, 'arrayBuffer' | 'type'>

const openClient = (orm: PgliteOrm): Promise<PgliteClient> =>
  orm.driver.getConnection().getNativeClient()

async function importPglite() {
  try {
    return await import('@mikro-orm/pglite')
  } catch (error) {
    throw new EmbeddedPostgresMissingError(
      'The embedded database needs the package @mikro-orm/pglite 7, which npm omits with an older Node: install it, or set a database URL',
      { cause: error },
    )
  }
}
