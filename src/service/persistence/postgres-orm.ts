import { MikroORM } from '@mikro-orm/postgresql'
import type { Orm } from './orm.ts'
import { ormOptions } from './orm-options.ts'
import type { Namespace } from './table-names.ts'

/**
 * The ORM on a PostgreSQL server. As `orm-options.ts` does, this file loads it.
 *
 * @param pool options of the pool of `pg` that it opens for itself.
 */
export const openPostgresOrm = async (
  place: Namespace,
  url: string,
  pool: object,
): Promise<Orm> => {
  const options = await ormOptions(place)
  return MikroORM.init({ ...options, dbName: databaseName(url), driverOptions: pool })
}

const databaseName = (url: string): string =>
  decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres'
