/** How many items wait at most, and how long. */
const batchSize = 128
const waitMs = 1000

/** Items that wait until there are more of them. */
export interface Batches<Item> {
  add(item: Item): void
  /** Does at once what is to be done with those that wait. */
  drain(): void
}

/**
 * Puts small work off, to do much of it in a row. Among the parts of a request the same code costs several times as much:
 * it has left the caches of the processor whenever it is needed again.
 *
 * @param work of an item. What it throws is dropped with the item: nobody is left to hear of it.
 */
export function inBatches<Item>(work: (item: Item) => void): Batches<Item> {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | undefined
  const drain = (): void => {
    clearTimeout(timer)
    timer = undefined
    const items = waiting
    waiting = []
    for (const item of items) {
      try {
        work(item)
      } catch {}
    }
  }
  return {
    add: (item) => {
      waiting.push(item)
      if (waiting.length >= batchSize) drain()
      else timer ??= setTimeout(drain, waitMs).unref()
    },
    drain,
  }
}
