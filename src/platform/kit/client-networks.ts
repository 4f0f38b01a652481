import { isIPv4 } from 'node:net'
import type ipaddr from 'ipaddr.js'
import type { IpAddress } from './ip-address.ts'

/** A network that a client belongs to. */
export interface ClientNetwork {
  /** The network in CIDR notation, an IPv4 address, or another client key. */
  key: string
  /** The multiple of a limit per client that holds for the network; null where no such limit holds. */
  limitFactor: number | null
}

/**
 * Returns the narrowest network of a client: an IPv4 address, or the /64 of an IPv6 address, since one
 * subscriber has all of it.
 */
export function clientNetwork(address: IpAddress): string {
  if (address.version === 4) return address.text
  const { parts } = address.parsed as ipaddr.IPv6
  const groups = parts.slice(0, 4).map((group) => group.toString(16))
  return `${groups.join(':')}::/64`
}

/** A /24 may contain thousands of customers behind shared addresses, so no limit per client holds for it. */
const ipv4Site = (address: string): ClientNetwork => ({
  key: `${address.slice(0, address.lastIndexOf('.'))}.0/24`,
  limitFactor: null,
})

/** Subscribers get a /64, a /56 or a /48, and nothing shorter is assigned to one. @see RFC 6177 */
function ipv6Sites(groups: readonly string[]): ClientNetwork[] {
  const subnet = (Number.parseInt(groups[3] ?? '0', 16) & 0xff00).toString(16)
  const site = groups.slice(0, 3).join(':')
  return [
    { key: `${site}:${subnet}::/56`, limitFactor: 8 },
    { key: `${site}::/48`, limitFactor: 32 },
  ]
}

/**
 * Returns the networks of a client, the narrowest first: /64, /56 and /48 for IPv6, address and /24 for
 * IPv4. Everything that is counted, shared or queued per client is counted for these networks.
 *
 * @param client a network that {@link clientNetwork} returned, or another client key, which has no wider network.
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
