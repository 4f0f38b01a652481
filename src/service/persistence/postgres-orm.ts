import { MikroORM } from '@mikro-orm/postgresql'
import { databasePlaceOf } from './database-place.ts'
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
  return MikroORM.init({ ...options, dbName: databasePlaceOf(url).database, driverOptions: pool })
}
