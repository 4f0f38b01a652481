/** Runs work, now or in its turn. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many work at once. Others wait, in the order in which they came. */
export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active < width) active += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Who is let in inherits the place of who left.
      const next = waiting.shift()
      if (next) next()
      else active -= 1
    }
  }
}
