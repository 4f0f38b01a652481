import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql'

/** The ORM, on a PostgreSQL server or on the embedded one: the two differ in their driver alone. */
export type Orm = MikroORM

export type OrmEntityManager = SqlEntityManager
