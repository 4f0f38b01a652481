import { isIP } from 'node:net'
import { disconnectedPeer } from '../platform/http/peer.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { ForwardingTrust } from './client-address.ts'

/**
 * Logs one warning when the host supplies no address of the socket's peer, or an invalid one. Then
 * nothing is limited per client, unless a declared header distinguishes clients.
 *
 * @returns a function that receives the peer of each request to `fetch`.
 */
export function watchPeers(
  trust: Pick<ForwardingTrust, 'header' | 'forwardedFor'>,
  logger: Logger,
): (peer: string | undefined) => void {
  let isLogged = trust.header !== null || trust.forwardedFor
  return (peer) => {
    if (isLogged || isAddress(peer ?? '') || peer === disconnectedPeer) return
    isLogged = true
    // The value may be anything, and addresses are not logged.
    const what = peer
      ? 'an `ip` that is no address (an IPv4 or IPv6 one, without a port)'
      : 'no `ip`'
    logger.warn(
      { setting: 'rateLimits.header' },
      `fetch received ${what}, so neither requests nor messages are limited per client; call ` +
        'fetch(request, { ip }) with the address of the socket’s peer, or declare the proxy header that identifies clients',
    )
  }
}

/**
 * Returns the result of `readIpAddress` without its library, which nothing else loads before a
 * service starts.
 */
const isAddress = (text: string): boolean => isIP(text.trim().replace(/%.*$/s, '')) !== 0
