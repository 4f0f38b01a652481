import { isForwardedFor } from '../platform/kit/address-list-header.ts'
import { clientNetwork } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { type IpAddress, isPublic, readIpAddress } from '../platform/kit/ip-address.ts'
import {
  clientInForwarded,
  clientInForwardedFor,
  readAddressAndPort,
} from './forwarded-addresses.ts'

/** The headers of a request that are trusted, because a proxy of the operator sets them. */
export interface ForwardingTrust {
  /** `RATE_LIMIT_HEADER`. */
  header: string | null
  /** The number of proxies with public addresses that a list of addresses is read past. */
  proxyHops: number
  /** Whether `Svc-Forwarded-For` is set by the proxy. */
  forwardedFor: boolean
}

/** The client of a request, as far as the network identifies it. */
export interface Client {
  /** The address for sessions and audit entries; null where it is unknown. */
  ip: string | null
  /**
   * Returns the key that limits per client are counted under: an IPv4 address, the /64 of an IPv6
   * address, or the SHA-256 of any other value of a declared header. It has at most 64 characters.
   * Returns null where clients cannot be distinguished, as behind a proxy that was not declared:
   * all of them would share one limit.
   */
  key(): string | null
}

interface Needs {
  header(name: string): string | null
  /** The socket's peer. */
  peer: string | null
}

/** `Svc-Forwarded-For`, and the older name that some deployments use. */
const forwardedForHeaders = ['svc-forwarded-for', 'sb-forwarded-for']

/**
 * Identifies the client of a request. No other function reads an address from a request.
 *
 * The sources in order: the header that the operator declared, `Svc-Forwarded-For` where it is
 * enabled, the peer of the socket. No other header is trusted, since any client can send it. A
 * declared header without a usable value does not lift the limit: the request is counted for the
 * peer, even a private one.
 */
export function findClient({ header, peer }: Needs, trust: ForwardingTrust): Client {
  const declaredText = trust.header === null ? null : header(trust.header)
  const declared = declaredText === null ? null : readDeclared(declaredText, trust)
  const forwardedTexts = trust.forwardedFor ? forwardedForHeaders.map(header) : []
  const forwarded = firstAddress(forwardedTexts)
  const socket = readIpAddress(peer ?? '')
  const address = forwarded ?? declared?.address ?? socket
  const findKey = (): string | null => {
    if (declared?.address) return clientNetwork(declared.address)
    if (declared?.other) return sha256Hex(declared.other)
    if (forwarded) return clientNetwork(forwarded)
    const sentNothing = declaredText === null && forwardedTexts.every((text) => text === null)
    return peerKey(socket, sentNothing)
  }
  let key: string | null | undefined
  return {
    ip: address?.text ?? null,
    key: () => {
      if (key === undefined) key = findKey()
      return key
    },
  }
}

/** The value of a declared header: an address, or another text that distinguishes clients. */
interface Declared {
  address: IpAddress | null
  other: string | null
}

function readDeclared(text: string, { header, proxyHops }: ForwardingTrust): Declared {
  const name = header?.toLowerCase() ?? ''
  if (name === 'forwarded') return { address: clientInForwarded(text, proxyHops), other: null }
  if (isForwardedFor(name)) return { address: clientInForwardedFor(text, proxyHops), other: null }
  const value = firstValue(text)
  const address = readAddressAndPort(value ?? '')
  return { address, other: address ? null : value }
}

/** The key for an unusable header when the peer is unknown. */
const unknownPeer = 'unknown'

function peerKey(peer: IpAddress | null, sentNothing: boolean): string | null {
  if (sentNothing) return peer && isPublic(peer) ? clientNetwork(peer) : null
  return peer ? clientNetwork(peer) : unknownPeer
}

const firstValue = (list: string | null): string | null => list?.split(',', 1)[0]?.trim() || null

function firstAddress(lists: readonly (string | null)[]): IpAddress | null {
  for (const list of lists) {
    const address = readIpAddress(firstValue(list) ?? '')
    if (address) return address
  }
  return null
}
