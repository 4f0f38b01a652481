/** Runs work for a key, unless it runs already: then what that ends in is shared. */
export type SingleFlight = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** @returns what runs the work of one kind: whatever has the same key ends in the same type. */
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
