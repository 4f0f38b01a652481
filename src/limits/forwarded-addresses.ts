import { type IpAddress, isPublic, readIpAddress } from '../platform/kit/ip-address.ts'

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
export const clientInForwardedFor = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readAddressAndPort, hops)

/** Returns the client in `Forwarded`; null when the list contains no address. @see RFC 7239 §4 */
export const clientInForwarded = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readForwardedElement, hops)

/**
 * Reads an address in any form that proxies write: alone, in brackets, in quotes, and with a port.
 * In `Forwarded` the port may be a name; some proxies append it to IPv6 without brackets.
 * @see RFC 7239 §6
 */
export function readAddressAndPort(text: string): IpAddress | null {
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
