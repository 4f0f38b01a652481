import type pg from 'pg'

/**
 * Runs the work in a transaction, on one connection, which goes back to the pool whatever happens; a
 * broken one leaves it. Otherwise its place would be lost, and closing would wait for it forever.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // Where this fails the connection is gone, and PostgreSQL has rolled back already.
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}
