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
