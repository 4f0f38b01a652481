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
  /** Whether `add` would queue an item of this path. */
  admits(path: FairnessPath): boolean
  /** Removes and returns the next item; undefined if the queue is empty. */
  next(): Item | undefined
  /** The number of items. */
  size(): number
  /** Whether the widest network of a path has an item. */
  hasItemOf(path: FairnessPath): boolean
  /** Removes an item, if it is still queued. */
  remove(path: FairnessPath, item: Item): void
}

/**
 * A network with waiting items.
 *
 * Items are in an array, not in a Set: V8 replaces the table of a Set that changes often, and a
 * replaced table refers to its successor. Once one of them has become old, each later table, and
 * all items that it contained, remain in memory until the next full garbage collection.
 */
interface Line<Item> {
  /** Empty for the whole queue. */
  network: string
  size: number
  /** Items of this network itself, the next one first. */
  items: Item[]
  /** The narrower networks, in the order of their turns. */
  turns: Line<Item>[]
  /** The narrower networks by name. */
  lines: Map<string, Line<Item>>
}

const openLine = <Item>(network: string): Line<Item> => ({
  network,
  size: 0,
  items: [],
  turns: [],
  lines: new Map(),
})

/**
 * Creates a queue that alternates between the widest networks, and within each between its narrower
 * ones. Memory is bounded by the items: a network without a waiting item is not stored.
 *
 * @param capacity the maximum number of items.
 */
export function createFairQueue<Item>(capacity: number): FairQueue<Item> {
  const root = openLine<Item>('')
  const remove = (path: FairnessPath, item: Item): void => void removeFrom(root, path, item)
  return {
    size: () => root.size,
    admits: (path) => root.size < capacity || mayDisplace(root, path),
    hasItemOf: ([widest = '']) => root.lines.has(widest),
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
  if (network === undefined) line.items.push(item)
  else addTo(line.lines.get(network) ?? addLine(line, network), narrower, item)
}

function addLine<Item>(line: Line<Item>, network: string): Line<Item> {
  const added = openLine<Item>(network)
  line.lines.set(network, added)
  line.turns.push(added)
  return added
}

/** Returns whether the item was queued. */
function removeFrom<Item>(
  line: Line<Item>,
  [network, ...narrower]: FairnessPath,
  item: Item,
): boolean {
  const own = network === undefined ? undefined : line.lines.get(network)
  const isRemoved = own ? removeFrom(own, narrower, item) : removeItem(line.items, item)
  if (!isRemoved) return false
  line.size -= 1
  if (own?.size === 0) removeLine(line, own)
  return true
}

/** Removes the next item, and moves its networks to the end of the order. */
function takeNext<Item>(line: Line<Item>): Item | undefined {
  line.size -= 1
  if (line.items.length > 0) return line.items.shift()
  const own = line.turns.shift()
  if (!own) return undefined
  const item = takeNext(own)
  if (own.size > 0) line.turns.push(own)
  else line.lines.delete(own.network)
  return item
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
  if (hasLonger(line, own)) return dropLast(line)
  const displaced = own && displaceFor(own, narrower)
  if (displaced !== undefined) line.size -= 1
  return displaced
}

/** Returns whether an item of this path may displace another one. */
function mayDisplace<Item>(line: Line<Item>, [network, ...narrower]: FairnessPath): boolean {
  if (network === undefined) return false
  const own = line.lines.get(network)
  return hasLonger(line, own) || (own !== undefined && mayDisplace(own, narrower))
}

/** Returns whether another network would keep at least as many items as this one gets. */
function hasLonger<Item>(line: Line<Item>, own: Line<Item> | undefined): boolean {
  const longest = longestOf(line)
  return longest !== undefined && longest !== own && longest.size > (own?.size ?? 0) + 1
}

/** Removes the last item of the longest line. */
function dropLast<Item>(line: Line<Item>): Item | undefined {
  line.size -= 1
  const longest = longestOf(line)
  if (!longest) return line.items.pop()
  const dropped = dropLast(longest)
  if (longest.size === 0) removeLine(line, longest)
  return dropped
}

function removeLine<Item>(line: Line<Item>, empty: Line<Item>): void {
  line.lines.delete(empty.network)
  removeItem(line.turns, empty)
}

/** Returns whether the list contained it. */
function removeItem<Item>(list: Item[], item: Item): boolean {
  const index = list.indexOf(item)
  if (index >= 0) list.splice(index, 1)
  return index >= 0
}

/** Returns the narrower network with the most items; of several, the last in the order. */
function longestOf<Item>({ turns }: Line<Item>): Line<Item> | undefined {
  let longest: Line<Item> | undefined
  for (const line of turns) if (line.size >= (longest?.size ?? 0)) longest = line
  return longest
}
