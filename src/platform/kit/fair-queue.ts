/** The networks of an item, the widest first. */
export type FairnessPath = readonly string[]

/** A queue that alternates between the networks on each level of its items' paths. */
export interface FairQueue<Item> {
  /**
   * Adds an item at the end of its path's queue. If the whole queue is full, the item displaces the
   * last one of the network with the most items, on the widest level where that network keeps at
   * least as many as the item's own.
   *
   * @returns the displaced item, the item itself if it displaces none, or null if the queue was not
   *   full.
   */
  add(path: FairnessPath, item: Item): Item | null
  /** Removes and returns the next item; undefined if the queue is empty. */
  next(): Item | undefined
  /** The number of items. */
  size(): number
  /** Removes an item, if it is still queued. */
  remove(path: FairnessPath, item: Item): void
}

/**
 * A network with waiting items. A Map and a Set keep the order of insertion: the first is the next.
 */
interface Line<Item> {
  size: number
  /** Items of this network itself. */
  items: Set<Item>
  /** The narrower networks, in the order of their turns. */
  lines: Map<string, Line<Item>>
}

const openLine = <Item>(): Line<Item> => ({ size: 0, items: new Set(), lines: new Map() })

/**
 * Creates a queue that alternates between the widest networks, and within each between its narrower
 * ones. Memory is bounded by the items: a network without a waiting item is not stored.
 *
 * @param capacity the maximum number of items.
 */
export function createFairQueue<Item>(capacity: number): FairQueue<Item> {
  const root = openLine<Item>()
  const remove = (path: FairnessPath, item: Item): void => void removeFrom(root, path, item)
  return {
    size: () => root.size,
    add: (path, item) => {
      let displaced: Item | undefined
      if (root.size >= capacity) {
        displaced = displaceFor(root, path)
        if (displaced === undefined) return item
      }
      addTo(root, path, item)
      return displaced ?? null
    },
    next: () => (root.size === 0 ? undefined : takeNext(root)),
    remove,
  }
}

function addTo<Item>(line: Line<Item>, [network, ...narrower]: FairnessPath, item: Item): void {
  line.size += 1
  if (network === undefined) {
    line.items.add(item)
    return
  }
  const own = line.lines.get(network) ?? openLine<Item>()
  line.lines.set(network, own)
  addTo(own, narrower, item)
}

/** Returns whether the item was queued. */
function removeFrom<Item>(
  line: Line<Item>,
  [network, ...narrower]: FairnessPath,
  item: Item,
): boolean {
  const own = network === undefined ? undefined : line.lines.get(network)
  const isRemoved = own ? removeFrom(own, narrower, item) : line.items.delete(item)
  if (!isRemoved) return false
  line.size -= 1
  if (network !== undefined && own?.size === 0) line.lines.delete(network)
  return true
}

/** Removes the next item, and moves its networks to the end of the order. */
function takeNext<Item>(line: Line<Item>): Item | undefined {
  line.size -= 1
  for (const item of line.items) {
    line.items.delete(item)
    return item
  }
  for (const [network, own] of line.lines) {
    line.lines.delete(network)
    const item = takeNext(own)
    if (own.size > 0) line.lines.set(network, own)
    return item
  }
  return undefined
}

/**
 * Displaces an item for another one of this path; undefined if no network has more than its share.
 */
function displaceFor<Item>(
  line: Line<Item>,
  [network, ...narrower]: FairnessPath,
): Item | undefined {
  if (network === undefined) return undefined
  const own = line.lines.get(network)
  const longest = longestOf(line)
  if (longest && longest !== own && longest.size > (own?.size ?? 0) + 1) return dropLast(line)
  const displaced = own && displaceFor(own, narrower)
  if (displaced !== undefined) line.size -= 1
  return displaced
}

/** Removes the last item of the longest line. */
function dropLast<Item>(line: Line<Item>): Item | undefined {
  line.size -= 1
  const longest = longestOf(line)
  if (longest) {
    const dropped = dropLast(longest)
    if (longest.size === 0) removeLine(line, longest)
    return dropped
  }
  const last = [...line.items].at(-1)
  if (last !== undefined) line.items.delete(last)
  return last
}

function removeLine<Item>(line: Line<Item>, empty: Line<Item>): void {
  for (const [network, own] of line.lines) if (own === empty) line.lines.delete(network)
}

/** Returns the narrower network with the most items; of several, the last in the order. */
function longestOf<Item>({ lines }: Line<Item>): Line<Item> | undefined {
  let longest: Line<Item> | undefined
  for (const line of lines.values()) if (line.size >= (longest?.size ?? 0)) longest = line
  return longest
}
