import { disconnectedPeer } from '../platform/http/peer.ts'
import { clientNetwork } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import {
  type IpAddress,
  isForwardedFor,
  isPublic,
  readIpAddress,
} from '../platform/kit/ip-address.ts'

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
  /** The socket's peer, or `disconnectedPeer`. */
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
    return peerKey(socket, sentNothing && peer !== disconnectedPeer)
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

/** The key for an unusable header, and for a peer that has disconnected, without an address. */
const unknownPeer = 'unknown'

function peerKey(peer: IpAddress | null, mayHaveNone: boolean): string | null {
  if (mayHaveNone) return peer && isPublic(peer) ? clientNetwork(peer) : null
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

/** The entries of a list that are read, from its end. No chain of proxies is longer. */
const maxEntries = 50
/** The length up to which an entry is read. */
const maxEntryLength = 500

/** Reads one entry of a list; returns null for an entry without an address. */
type ReadEntry = (entry: string) => IpAddress | null

/**
 * Finds the client in a list to which each proxy appends the address that its request came from.
 * The list is read from the right, past private addresses and `hops` public ones.
 *
 * Values that a client sends are to the left of the entry of the first proxy, so they are not
 * reached. Neither is any entry to the left of one without an address, by which a proxy hides its
 * client. In a list of private addresses only, the client is the last one, or the one `hops` before
 * it.
 */
function clientInList(list: string, readEntry: ReadEntry, hops: number): IpAddress | null {
  const privateOnes: IpAddress[] = []
  const publicOnes: IpAddress[] = []
  for (const entry of list.split(',').slice(-maxEntries).reverse()) {
    if (entry.trim() === '') continue
    const address = entry.length > maxEntryLength ? null : readEntry(entry)
    if (!address) break
    const kind = isPublic(address) ? publicOnes : privateOnes
    kind.push(address)
    if (publicOnes.length > hops) break
  }
  const found = publicOnes.length > 0 ? publicOnes : privateOnes
  return found[hops] ?? found.at(-1) ?? null
}

/** Returns the client in `X-Forwarded-For`; null when the list contains no address. */
const clientInForwardedFor = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readAddressAndPort, hops)

/** Returns the client in `Forwarded`; null when the list contains no address. @see RFC 7239 §4 */
const clientInForwarded = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readForwardedElement, hops)

/**
 * Reads an address in any form that proxies write: alone, in brackets, in quotes, and with a port.
 * In `Forwarded` the port may be a name; some proxies append it to IPv6 without brackets.
 * @see RFC 7239 §6
 */
function readAddressAndPort(text: string): IpAddress | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[([^\]]*)\](?::[\w.-]*)?$/.exec(bare) ?? []
  if (bracketed !== undefined) return readIpAddress(bracketed)
  return readIpAddress(bare) ?? readIpAddress(bare.replace(/:[\w.-]*$/, ''))
}

/**
 * Reads the `for` of one element. The list is split at each comma, even in a quoted text, so a
 * client that sends an unclosed quote cannot hide the elements that follow. A part of a quoted text
 * is no element, since its closing quotation mark opens nothing.
 */
function readForwardedElement(element: string): IpAddress | null {
  const text = element.trim()
  const pair = new RegExp(forwardedPair, 'y')
  let node: string | null = null
  while (pair.lastIndex < text.length) {
    const [, name, quoted, plain] = pair.exec(text) ?? []
    if (name === undefined) return null
    if (name.toLowerCase() !== 'for') continue
    if (node !== null) return null
    node = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
  }
  return node === null ? null : readAddressAndPort(node)
}

const forwardedPair = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]*))\s*(?:;|$)/
