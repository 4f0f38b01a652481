/** The maximum number of waiting items, and the maximum wait. */
const batchSize = 128
const waitMs = 1000

/** A batch of items. */
export interface Batches<Item> {
  add(item: Item): void
  /** Processes the waiting items at once. */
  drain(): void
}

/**
 * Defers small work, and does it in batches. Between the parts of a request the same code costs
 * several times as much, since it has left the processor's caches.
 *
 * @param work the processing of one item. Its exceptions are dropped, since no caller waits for it.
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
