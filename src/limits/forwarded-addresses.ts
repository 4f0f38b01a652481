import { type IpAddress, isPublic, readIpAddress } from '../platform/kit/ip-address.ts'

/** More entries of a list are not looked at: no chain of proxies is that long. */
const maxEntries = 50
/** A longer entry is not read. */
const maxEntryLength = 500

/** Reads one entry of a list; null for one that names no address. */
type ReadEntry = (entry: string) => IpAddress | null

/**
 * Finds the client in a list that each proxy on the way appends the address to that it was asked from:
 * from the right, past private addresses and `hops` public ones.
 *
 * What a client sends itself stands to the left of what the first proxy adds, so it is not reached. Nor is
 * anything behind an entry without an address, which is how a proxy hides whom it speaks for. In a list of
 * private addresses alone the client is the last one, or `hops` before it.
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

/** The client in `X-Forwarded-For`; null when it names no address. */
export const clientInForwardedFor = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readAddressAndPort, hops)

/** The client in `Forwarded`; null when it names no address. @see RFC 7239 §4 */
export const clientInForwarded = (list: string, hops: number): IpAddress | null =>
  clientInList(list, readForwardedElement, hops)

/**
 * Reads an address as proxies write it: alone, in brackets, in quotes, and with a port, which may be a
 * name in `Forwarded` and follows IPv6 without brackets in some. @see RFC 7239 §6
 */
export function readAddressAndPort(text: string): IpAddress | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[([^\]]*)\](?::[\w.-]*)?$/.exec(bare) ?? []
  if (bracketed !== undefined) return readIpAddress(bracketed)
  return readIpAddress(bare) ?? readIpAddress(bare.replace(/:[\w.-]*$/, ''))
}

/**
 * Reads the `for` of one element. The list was split at each comma, also at one in quotes: a client that
 * sends half a quoted text cannot hide what follows in it. A part of a quoted text is not an element,
 * since its last quotation mark opens nothing.
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
