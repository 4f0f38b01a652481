import type { Orm, OrmEntityManager } from './orm-options.ts'

/**
 * Runs the work in a transaction of the ORM, on one connection that always returns to its pool.
 *
 * The ORM's own `transactional` never releases a connection that breaks during the work: closing
 * would wait for it forever.
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
        // A failure means that the connection was lost, and PostgreSQL has already rolled back.
        await transaction
          .rollback()
          .execute()
          .catch(() => {})
        throw error
      }
    })
}
