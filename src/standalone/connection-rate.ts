import type { CountedLimit } from '../limits/limit-store.ts'
import { createMemoryBuckets } from '../limits/memory-buckets.ts'
import { type ClientNetwork, networksOf } from '../platform/kit/client-networks.ts'

/** Limits how fast the networks of a client open connections. */
export interface ConnectionRate {
  /**
   * Counts a new connection, and returns whether it is accepted.
   *
   * @param client the key of the client, by which limits per client are counted.
   * @param nowMs the time in milliseconds, of any clock.
   */
  admits(client: string, nowMs: number): boolean
}

/** The part of a server's connections that a network has, by its level: an address or /64, then the networks around it. */
export const partOfNetwork = (level: number): number => (4 + level) / 8

/** The fewest connections that a network opens at once, however few the server accepts. */
const leastBurst = 100
/** The time in which a network opens as many connections again as it has places. */
const refillSeconds = 10

/**
 * Creates the rate of a server: at once a network opens as many connections as it has places, and then a tenth of them per
 * second. One that is refused costs the server next to nothing, so that clients that reconnect keep no others waiting.
 *
 * A /24 may contain thousands of customers. It is limited only while all clients together open more than the server has
 * connections.
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
