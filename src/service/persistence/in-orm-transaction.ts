import type { Orm, OrmEntityManager } from './orm.ts'

/**
 * Runs the work in a transaction of the ORM's, on one connection that goes back to its pool whatever
 * happens.
 *
 * The ORM's own `transactional` keeps a connection for good that breaks in the middle: closing would
 * wait for it forever.
 */
export async function inOrmTransaction<T>(
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
