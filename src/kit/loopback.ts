import { isIPv4 } from 'node:net'

/**
 * Whether a host, spelled as WHATWG URLs spell it, is this machine as seen from itself.
 *
 * @see RFC 6761 §6.3
 */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  (isIPv4(host) && host.startsWith('127.'))
