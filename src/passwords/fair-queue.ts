/** Those who wait, a line for each share; who is next comes from another line each time. */
export interface FairQueue<Item> {
  /**
   * Puts one at the end of its share's line. Where the queue is full, it takes the place of the last one in
   * the longest line, if that line stays as long as its own; otherwise there is no place for it.
   *
   * @returns who has to go: the item itself where it found no place, null where nobody has to.
   */
  add(share: string, item: Item): Item | null
  /** Takes out who is next; undefined where nobody waits. */
  next(): Item | undefined
  /** How many wait. */
  size(): number
  /** Takes out one that waits no longer. */
  remove(share: string, item: Item): void
}

/** @param capacity how many may wait at most. */
export function createFairQueue<Item>(capacity: number): FairQueue<Item> {
  // Both remember the order of insertion: the first line is the next one's, its first item the next one.
  const lines = new Map<string, Set<Item>>()
  let size = 0

  const longestLine = (): [string, Set<Item>] | undefined => {
    let longest: [string, Set<Item>] | undefined
    for (const line of lines) if (line[1].size > (longest?.[1].size ?? 0)) longest = line
    return longest
  }
  const remove = (share: string, item: Item): void => {
    const line = lines.get(share)
    if (!line?.delete(item)) return
    size -= 1
    if (line.size === 0) lines.delete(share)
  }
  /** Makes room for one more in a line of this length; null where no line is that much longer. */
  const displace = (length: number): Item | null => {
    const [share, line] = longestLine() ?? []
    if (share === undefined || !line || line.size <= length + 1) return null
    const last = [...line].at(-1) as Item
    remove(share, last)
    return last
  }

  return {
    size: () => size,
    add: (share, item) => {
      let displaced: Item | null = null
      if (size >= capacity) {
        displaced = displace(lines.get(share)?.size ?? 0)
        if (displaced === null) return item
      }
      const line = lines.get(share) ?? new Set()
      lines.set(share, line.add(item))
      size += 1
      return displaced
    },
    next: () => {
      const [first] = lines
      if (!first) return undefined
      const [share, line] = first
      const [item] = line
      // It is its share's turn again once all others had theirs.
      lines.delete(share)
      lines.set(share, line)
      remove(share, item as Item)
      return item
    },
    remove,
  }
}
