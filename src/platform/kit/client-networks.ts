import { isIPv4 } from 'node:net'
import type ipaddr from 'ipaddr.js'
import type { IpAddress } from './ip-address.ts'

/** A network that a client belongs to. */
export interface ClientNetwork {
  /** The network in CIDR notation, an IPv4 address, or another client key. */
  key: string
  /** The factor of a client's limits for the network; null if it has none. */
  limitFactor: number | null
}

/**
 * Returns the narrowest network of a client: an IPv4 address, or the /64 of an IPv6 address, since
 * one subscriber has all of it.
 */
export function clientNetwork(address: IpAddress): string {
  if (address.version === 4) return address.text
  const { parts } = address.parsed as ipaddr.IPv6
  const groups = parts.slice(0, 4).map((group) => group.toString(16))
  return `${groups.join(':')}::/64`
}

/**
 * Returns the /24 of an address. It may contain thousands of customers behind shared addresses, so
 * no client's limit applies to it.
 */
const ipv4Site = (address: string): ClientNetwork => ({
  key: `${address.slice(0, address.lastIndexOf('.'))}.0/24`,
  limitFactor: null,
})

/**
 * Returns the wider networks. Subscribers get a /64, a /56 or a /48; shorter prefixes are not
 * assigned to one subscriber. @see RFC 6177
 */
function ipv6Sites(groups: readonly string[]): ClientNetwork[] {
  const subnet = (Number.parseInt(groups[3] ?? '0', 16) & 0xff00).toString(16)
  const site = groups.slice(0, 3).join(':')
  return [
    { key: `${site}:${subnet}::/56`, limitFactor: 8 },
    { key: `${site}::/48`, limitFactor: 32 },
  ]
}

/**
 * Returns the networks of a client, the narrowest first: /64, /56 and /48 for IPv6, address and /24
 * for IPv4. All limits, shares and queues per client apply to these networks.
 *
 * @param client a network that {@link clientNetwork} returned, or another client key, which has no
 *   wider network.
 */
export function networksOf(client: string): readonly ClientNetwork[] {
  const own = { key: client, limitFactor: 1 }
  if (isIPv4(client)) return [own, ipv4Site(client)]
  const [, prefix] = /^([\da-f:]+)::\/64$/.exec(client) ?? []
  return prefix === undefined ? [own] : [own, ...ipv6Sites(prefix.split(':'))]
}

/** Returns the keys of {@link networksOf}, the widest network first. */
export const fairnessPath = (client: string): readonly string[] =>
  networksOf(client)
    .map(({ key }) => key)
    .reverse()
