import type { CountedLimit } from '../../limits/limit-store.ts'
import { createMemoryBuckets } from '../../limits/memory-buckets.ts'
import { type ClientNetwork, networksOf } from '../../platform/kit/client-networks.ts'

/** A limit for the rate at which a client's networks open connections. */
export interface ConnectionRate {
  /**
   * Counts a new connection, and returns whether it is accepted.
   *
   * @param client the key of the client, by which limits per client are counted.
   * @param nowMs the time in milliseconds, of any clock.
   */
  admits(client: string, nowMs: number): boolean
}

/**
 * The part of a server's connections that a network may open, by its level: an address or /64, then
 * the networks around it.
 */
export const partOfNetwork = (level: number): number => (4 + level) / 8

/** The lowest burst of a network, whatever the server's limit. */
const leastBurst = 100
/** The time in which a network's burst is refilled. */
const refillSeconds = 10

/**
 * Creates the connection rate of a server. A network may open all its places at once, then a tenth
 * of them per second. A rejected connection costs the server almost nothing, so that clients that
 * reconnect do not delay others.
 *
 * A /24 may contain thousands of customers. It is limited only while all clients together open more
 * connections than the server has.
 *
 * @param maxConnections `server.maxConnections`
 */
export function createConnectionRate(maxConnections: number): ConnectionRate {
  const buckets = createMemoryBuckets()
  const limitOf = (key: string, part: number): CountedLimit => {
    const burst = Math.max(leastBurst, Math.ceil(maxConnections * part))
    return { key, limit: { burst, refillPerSecond: burst / refillSeconds } }
  }
  const limitsOf = (networks: readonly ClientNetwork[], isLimited: boolean): CountedLimit[] =>
    networks.flatMap(({ key, limitFactor }, level) =>
      (limitFactor !== null) === isLimited ? [limitOf(key, partOfNetwork(level))] : [],
    )
  return {
    admits: (client, nowMs) => {
      const networks = networksOf(client)
      if (buckets.take(limitsOf(networks, true), nowMs) !== null) return false
      if (buckets.take([limitOf('', 1)], nowMs) === null) return true
      return buckets.take(limitsOf(networks, false), nowMs) === null
    },
  }
}
