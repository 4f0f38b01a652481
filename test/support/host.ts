import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import pg from 'pg'
import type { CallOptions } from '../../src/index.ts'

/** An application with its own ORM on the database, whose transactions Latchkey can join. */
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

/** An application whose transactions are joined by an option of the call. */
export interface JoinedHost {
  /** Runs the work in a transaction, which is rolled back when it throws. */
  transaction<T>(work: (joined: CallOptions) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Runs work in a transaction, as an application that uses only `pg` does. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const done = await work(client)
    await client.query('commit')
    return done
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release(true)
  }
}

/** Both options that join a transaction, each in a host that uses it. */
export const hostsByOption: Record<'em' | 'tx', (url: string) => Promise<JoinedHost>> = {
  em: async (url) => {
    const { transaction, close } = await openHost(url)
    return { transaction: (work) => transaction((em) => work({ em })), close }
  },
  tx: async (url) => {
    const pool = new pg.Pool({ connectionString: url })
    // Its database may be dropped while a connection is idle.
    pool.on('error', () => {})
    return {
      transaction: (work) => inTransaction(pool, (client) => work({ tx: client })),
      close: () => pool.end(),
    }
  },
}
