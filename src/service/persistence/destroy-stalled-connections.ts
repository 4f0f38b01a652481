import type { Duplex } from 'node:stream'

/** The parts of a pooled connection of `pg` that tell whether it owes an answer, and let go of it. */
interface PooledClient {
  /** False while a statement runs. */
  readyForQuery: boolean
  connection: { stream: Duplex }
}

export interface WatchedPool {
  on(event: 'connect' | 'acquire', listener: (client: PooledClient) => void): unknown
}

/**
 * Gives up each connection that owes an answer and on which nothing has come for so long. What waits
 * for it fails, and the pool opens another.
 *
 * `pg` itself would time each statement, and its timers keep all that belongs to a statement in memory
 * for as long. One timer per connection, set back by whatever happens on it, keeps nothing.
 */
export function destroyStalledConnections(pool: WatchedPool, patienceMs: number): void {
  const timers = new WeakMap<PooledClient, NodeJS.Timeout>()
  pool.on('connect', (client) => {
    const { stream } = client.connection
    const timer = setTimeout(() => {
      if (!client.readyForQuery) stream.destroy(new Error('connection terminated for its silence'))
    }, patienceMs)
    timer.unref()
    stream.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer))
    timers.set(client, timer)
  })
  pool.on('acquire', (client) => timers.get(client)?.refresh())
}
