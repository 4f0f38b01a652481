import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Parsed = ipaddr.IPv4 | ipaddr.IPv6

/** An address in the one spelling that is stored and compared. */
export interface IpAddress {
  text: string
  version: 4 | 6
  /** As the library keeps it. */
  parsed: Parsed
}

/** Longer than any address with a zone. */
const maxLength = 100

/**
 * Reads an address in any spelling. IPv4 inside IPv6, mapped or translated by NAT64, becomes IPv4, a zone
 * is dropped, and IPv6 is written as RFC 5952 says. Null for what is no address.
 *
 * @see RFC 4291 §2.5.5.2, RFC 6052 §2.1
 */
export function readIpAddress(text: string): IpAddress | null {
  if (text === '' || text.length > maxLength) return null
  // How Node writes many peers.
  if (isIPv4(text)) return new Ipv4Address(text)
  const bare = text.trim().replace(/%.*$/s, '')
  // The library would also read `127.1` and `0x7f.0.0.1`.
  if (isIP(bare) === 0) return null
  const [, prefix, dotted] = withDots.exec(bare) ?? []
  const ipv4 = prefix ? dotted : bare
  // How Node writes most peers, each in its one spelling: each request has one, and few ask more about it.
  if (ipv4 !== undefined && isIPv4(ipv4)) return new Ipv4Address(ipv4)
  // The library takes `::192.0.2.1` for the mapped form, which is another address.
  const parsed = withoutIpv6(ipaddr.process(dotted ? `0:0:0:0:0:0:${dotted}` : bare))
  return { text: parsed.toString(), version: parsed.kind() === 'ipv4' ? 4 : 6, parsed }
}

const withDots = /^::(ffff:)?(\d+\.[\d.]+)$/i

/** Parsed when that is asked for. A class: a getter of an object that is made anew each time is slow. */
class Ipv4Address implements IpAddress {
  readonly version = 4
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get parsed(): Parsed {
    return ipaddr.IPv4.parse(this.text)
  }
}

const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

function withoutIpv6(address: Parsed): Parsed {
  const isTranslated = address instanceof ipaddr.IPv6 && address.match(translated)
  return isTranslated ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address
}

/** What is not on the Internet. @see RFC 1918, RFC 4193, RFC 6598, RFC 6890 */
const privateRanges = new Set<string>([
  'unspecified',
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
])

export const isPublic = ({ parsed }: IpAddress): boolean => !privateRanges.has(parsed.range())

/**
 * Whether an address is that of somebody on the Internet, and of nothing near us. Stricter than
 * `isPublic`, which tells clients apart: this decides where we may be sent. Of IPv6 only 2000::/3 is
 * given out to anybody.
 *
 * @see RFC 6890, and the registries of special-purpose addresses that it founds
 */
export function isGlobal(text: string): boolean {
  const address = readIpAddress(text)
  if (address?.parsed.range() !== 'unicast') return false
  return address.version === 4 || givenOut.test(address.text)
}

const givenOut = /^[23][0-9a-f]{3}:/
