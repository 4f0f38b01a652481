import { isIPv4 } from 'node:net'
import type { IpAddress } from './ip-address.ts'

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
