import { BlockList, isIP } from 'node:net'

/** An address in the one spelling that is stored and compared. */
export interface IpAddress {
  text: string
  version: 4 | 6
}

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * Reads an address in any spelling. IPv4 in IPv6 clothing is undressed, a zone is dropped, and IPv6 is
 * written as RFC 5952 says. Null for what is no address.
 */
export function readIpAddress(text: string): IpAddress | null {
  if (text === '') return null
  const bare = text.trim().replace(/%.*$/, '')
  const version = isIP(bare)
  if (version === 0) return null
  if (version === 4) return { text: bare, version }
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const [, high, low] = mapped.exec(canonical) ?? []
  if (high === undefined || low === undefined) return { text: canonical, version: 6 }
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  const octets = [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255)
  return { text: octets.join('.'), version: 4 }
}

/**
 * What stands for one client among addresses: an IPv4 address itself, and the /64 that an IPv6 address
 * is in, since one subscriber has all of it.
 */
export function clientNetwork({ text, version }: IpAddress): string {
  if (version === 4) return text
  const [head = '', tail] = text.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Networks that are not on the Internet. @see RFC 1918, RFC 4193, RFC 6598, RFC 6890 */
const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv6')
}

export const isPublic = ({ text, version }: IpAddress): boolean =>
  !privateNetworks.check(text, version === 4 ? 'ipv4' : 'ipv6')
