import { clientNetwork } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { type IpAddress, isPublic, readIpAddress } from '../platform/kit/ip-address.ts'
import {
  clientInForwarded,
  clientInForwardedFor,
  readAddressAndPort,
} from './forwarded-addresses.ts'

/** Which headers of a request may be believed: those that a proxy of the operator's sets. */
export interface ForwardingTrust {
  /** `RATE_LIMIT_HEADER` */
  header: string | null
  /** How many proxies with public addresses a list of addresses is read past. */
  proxyHops: number
  /** Whether `Svc-Forwarded-For` is set by the proxy. */
  forwardedFor: boolean
}

/** Who asks, as far as the network tells. */
export interface Client {
  /** The address to note with sessions and audit entries; null where it is not known. */
  ip: string | null
  /**
   * What limits per client are counted under: an IPv4 address, the /64 of an IPv6 address, or the SHA-256
   * of what else a declared header holds, so 64 characters at most. Null where clients cannot be told
   * apart, as behind a proxy that was not declared, since all of them would share one limit.
   */
  key(): string | null
}

interface Needs {
  header(name: string): string | null
  /** The socket's peer. */
  peer: string | null
}

/** The header that some deployments call by its older name. */
const forwardedForHeaders = ['svc-forwarded-for', 'sb-forwarded-for']

/**
 * Finds out who asks. This is the only place where an address is taken from a request.
 *
 * In this order: the header that the operator declared, `Svc-Forwarded-For` where it is switched on,
 * the socket's peer. No other header is believed: anybody can send one. A header that holds nothing
 * usable does not lift the limit: whoever sends it counts as the peer, even a private one.
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

/** What a declared header says: an address, or whatever else tells clients apart. */
interface Declared {
  address: IpAddress | null
  other: string | null
}

/** Lists that proxies append to, so that the left of them is what a client sent itself. */
const appendedTo = /^x-(?:.+-)?forwarded-for$/

function readDeclared(text: string, { header, proxyHops }: ForwardingTrust): Declared {
  const name = header?.toLowerCase() ?? ''
  if (name === 'forwarded') return { address: clientInForwarded(text, proxyHops), other: null }
  if (appendedTo.test(name)) return { address: clientInForwardedFor(text, proxyHops), other: null }
  const value = firstValue(text)
  const address = readAddressAndPort(value ?? '')
  return { address, other: address ? null : value }
}

/** What is counted under for the sender of a header that is of no use, where no peer is known. */
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
