import { isIP } from 'node:net'

const mappedPrefix = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/**
 * The client's address in the form that is stored and compared: IPv4 in IPv6 clothing is undressed, a
 * zone is dropped. Null for what is no address.
 *
 * @param peer the socket's peer. No header is believed here.
 */
export function clientAddress(peer: string | null | undefined): string | null {
  const address = (peer ?? '').replace(/%.*$/, '').replace(mappedPrefix, '')
  return isIP(address) === 0 ? null : address.toLowerCase()
}
