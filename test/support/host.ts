import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'

/** An application with an ORM of its own on the database, whose transactions Latchkey can join. */
export interface Host {
  /** Runs the work in a transaction, which is rolled back when it throws. */
  transaction<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export async function openHost(clientUrl: string): Promise<Host> {
  const orm = await MikroORM.init({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    clientUrl,
    logger: () => {},
  })
  return {
    transaction: (work) => orm.em.fork().transactional((em) => work(em as SqlEntityManager)),
    close: () => orm.close(),
  }
}
