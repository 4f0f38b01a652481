import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql'

/** The ORM, on a PostgreSQL server or on the embedded one; only the drivers differ. */
export type Orm = MikroORM

export type OrmEntityManager = SqlEntityManager
