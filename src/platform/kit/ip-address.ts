import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Parsed = ipaddr.IPv4 | ipaddr.IPv6

/** An address in its canonical spelling for storage and comparison. */
export interface IpAddress {
  text: string
  version: 4 | 6
  /** The library's representation. */
  parsed: Parsed
}

/** Longer than any address with a zone. */
const maxLength = 100

/**
 * Parses an address in any spelling. IPv4 inside IPv6, mapped or translated by NAT64, becomes IPv4,
 * a zone is dropped, and IPv6 is in the form of RFC 5952. Null for other texts.
 *
 * @see RFC 4291 §2.5.5.2, RFC 6052 §2.1
 */
export function readIpAddress(text: string): IpAddress | null {
  if (text === '' || text.length > maxLength) return null
  // Node's form of many peers.
  if (isIPv4(text)) return ipv4Address(text)
  const bare = text.trim().replace(/%.*$/s, '')
  // The library would also accept `127.1` and `0x7f.0.0.1`.
  if (isIP(bare) === 0) return null
  const [, prefix, dotted] = withDots.exec(bare) ?? []
  const ipv4 = prefix ? dotted : bare
  // Node's form of most peers, already canonical. Every request has one, and few need more than its
  // text.
  if (ipv4 !== undefined && isIPv4(ipv4)) return ipv4Address(ipv4)
  // The library treats `::192.0.2.1` as the mapped form, which is another address.
  const parsed = withoutIpv6(ipaddr.process(dotted ? `0:0:0:0:0:0:${dotted}` : bare))
  return { text: parsed.toString(), version: parsed.kind() === 'ipv4' ? 4 : 6, parsed }
}

const withDots = /^::(ffff:)?(\d+\.[\d.]+)$/i

/**
 * An IPv4 address that is parsed on demand. A class, since a getter of an object literal is slow.
 */
class Ipv4Address implements IpAddress {
  readonly version = 4
  readonly text: string
  #parsed: Parsed | undefined

  constructor(text: string) {
    this.text = text
  }

  get parsed(): Parsed {
    this.#parsed ??= ipaddr.IPv4.parse(this.text)
    return this.#parsed
  }
}

/** The address that was read last: peers are often few proxies, whose requests follow each other. */
let last = new Ipv4Address('0.0.0.0')

function ipv4Address(text: string): IpAddress {
  if (text !== last.text) last = new Ipv4Address(text)
  return last
}

const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

function withoutIpv6(address: Parsed): Parsed {
  const isTranslated = address instanceof ipaddr.IPv6 && address.match(translated)
  return isTranslated ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address
}

/** The ranges that are not public. @see RFC 1918, RFC 4193, RFC 6598, RFC 6890 */
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
 * Reports whether an address is public and not special-purpose. Stricter than `isPublic`, which
 * identifies clients: this decides which hosts may be called. In IPv6 only 2000::/3 is allocated.
 *
 * @see RFC 6890, and the registries of special-purpose addresses that it establishes
 */
export function isGlobal(text: string): boolean {
  const address = readIpAddress(text)
  if (address?.parsed.range() !== 'unicast' || address.text === azurePlatform) return false
  return address.version === 4 || givenOut.test(address.text)
}

/** The address at which machines of Azure reach the platform, among others for their secrets. */
const azurePlatform = '168.63.129.16'

const givenOut = /^[23][0-9a-f]{3}:/

/**
 * Reports whether a host is this machine's loopback interface: a name or an address, IPv6 with or
 * without the brackets of a URL.
 *
 * @see RFC 6761 §6.3
 */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  (isIPv4(host) && host.startsWith('127.'))

/** Reports whether an address, in the spelling of `readIpAddress`, is a loopback address. */
export const isLoopbackAddress = ({ text, version }: IpAddress): boolean =>
  version === 4 ? text.startsWith('127.') : text === '::1'

/** Headers with lists that proxies append to. The client itself may have sent the left part. */
const appendedTo = /^x-(?:.+-)?forwarded-for$/

/** Returns whether a header contains a list of addresses, one for each proxy. */
export const hasAddressList = (header: string): boolean =>
  header.toLowerCase() === 'forwarded' || isForwardedFor(header)

/** Returns whether a header has the form of `X-Forwarded-For`. */
export const isForwardedFor = (header: string): boolean => appendedTo.test(header.toLowerCase())
