import { isIP } from 'node:net'
import type { Logger } from '../platform/observability/logger.ts'
import type { ForwardingTrust } from './client-address.ts'

/**
 * Says once, in the log, that a host does not tell whom a request comes from, or tells it in a form that is
 * of no use: nothing is limited per client then, where no header tells clients apart either.
 *
 * @returns what is told the peer of each request that comes by `fetch`.
 */
export function watchPeers(
  trust: Pick<ForwardingTrust, 'header' | 'forwardedFor'>,
  logger: Logger,
): (peer: string | undefined) => void {
  let isSaid = trust.header !== null || trust.forwardedFor
  return (peer) => {
    if (isSaid || isAddress(peer ?? '')) return
    isSaid = true
    // The value may be anything, and an address is not for a log.
    const what = peer
      ? 'an `ip` that is no address (an IPv4 or IPv6 one, without a port)'
      : 'no `ip`'
    logger.warn(
      { setting: 'rateLimits.header' },
      `a request came with ${what}, so that neither requests nor messages are limited per client: call ` +
        'fetch(request, { ip }) with the address of the socket’s peer, or say which header of a proxy tells clients apart',
    )
  }
}

/** As `readIpAddress` has it, without the library, which nothing else loads before a service starts. */
const isAddress = (text: string): boolean => isIP(text.trim().replace(/%.*$/s, '')) !== 0
