/** Runs work at once or after waiting. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Limits concurrent work. Other work waits, in the order of the calls. */
export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active < width) active += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next work inherits the place.
      const next = waiting.shift()
      if (next) next()
      else active -= 1
    }
  }
}
