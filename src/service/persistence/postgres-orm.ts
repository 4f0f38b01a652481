import { MikroORM } from '@mikro-orm/postgresql'
import { type Orm, ormOptions } from './orm-options.ts'
import type { Namespace } from './table-names.ts'

/**
 * Opens the ORM on a PostgreSQL server. Like `orm-options.ts`, this file loads the ORM.
 *
 * @param pool options of the pool of `pg` that it opens.
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
