/** Runs work after all earlier work with the same key has ended or failed. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedMutex(): KeyedMutex {
  const lasts = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const done = (lasts.get(key) ?? Promise.resolve()).then(work, work)
    lasts.set(key, done)
    try {
      return await done
    } finally {
      if (lasts.get(key) === done) lasts.delete(key)
    }
  }
}

/** Runs work at once or after waiting. */
type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

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

/** Runs work for a key, unless it is already running: then its result or error is shared. */
export type SingleFlight = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * @returns a function for work of one kind: all work with the same key has the same result type.
 */
export function createSingleFlight(): SingleFlight {
  const running = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>) => {
    const known = running.get(key)
    if (known) return known as Promise<T>
    const started = work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
