import type { Orm, OrmEntityManager } from './orm.ts'

/**
 * Runs the work in a transaction, on one connection that goes back to the pool whatever happens.
 *
 * The ORM's own `transactional` keeps a connection for good that breaks in the middle: its place in
 * the pool would be lost, and closing would wait for it forever.
 */
export async function inTransaction<T>(
  orm: Orm,
  work: (em: OrmEntityManager) => Promise<T>,
): Promise<T> {
  const database = orm.driver.getConnection()
  await database.ensureConnection()
  return database
    .getClient()
    .connection()
    .execute(async (connection) => {
      const transaction = await connection.startTransaction().execute()
      try {
        const em = orm.em.fork()
        em.setTransactionContext(transaction)
        const result = await work(em)
        await em.flush()
        await transaction.commit().execute()
        return result
      } catch (error) {
        // Where this fails the connection is gone, and PostgreSQL has rolled back already.
        await transaction
          .rollback()
          .execute()
          .catch(() => {})
        throw error
      }
    })
}
