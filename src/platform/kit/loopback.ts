import { isIPv4 } from 'node:net'
import type { IpAddress } from './ip-address.ts'

/**
 * Whether a host is this machine as seen from itself: a name or an address, IPv6 with the brackets of a
 * URL or without.
 *
 * @see RFC 6761 §6.3
 */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  (isIPv4(host) && host.startsWith('127.'))

/** Whether an address, in the spelling of `readIpAddress`, is one of this machine's own. */
export const isLoopbackAddress = ({ text, version }: IpAddress): boolean =>
  version === 4 ? text.startsWith('127.') : text === '::1'
