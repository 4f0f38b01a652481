import { BlockList } from 'node:net'
import { type IpAddress, readIpAddress } from './ip-address.ts'

type Subnet = readonly [network: string, prefix: number]

const listOf = (family: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList => {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

/** Inside, on the link, for documentation, for many at once, or not given out. */
const special4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])

/** All of IPv6 that is given out. What lies elsewhere is local, for many at once, or nobody's. */
const given6 = listOf('ipv6', [['2000::', 3]])

/** Of that, what is for protocols (Teredo among them) and documentation, or wraps IPv4 (6to4). */
const special6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

/** NAT64: the way to an IPv4 address for a host that has none itself. @see RFC 6052 §2.1 */
const translated = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/

/**
 * Whether an address is that of somebody on the Internet, and of nothing near us. Stricter than
 * `isPublic`, which tells clients apart: this decides where we may be sent.
 *
 * @see RFC 6890, and the registries of special-purpose addresses that it founds
 */
export function isGlobal(text: string): boolean {
  const address = readIpAddress(text)
  if (!address) return false
  const { text: canonical, version } = behindTranslation(address)
  if (version === 4) return !special4.check(canonical, 'ipv4')
  return given6.check(canonical, 'ipv6') && !special6.check(canonical, 'ipv6')
}

function behindTranslation(address: IpAddress): IpAddress {
  const [, high = '0', low] = translated.exec(address.text) ?? []
  if (low === undefined) return address
  return readIpAddress(`::ffff:${high}:${low}`) ?? address
}
