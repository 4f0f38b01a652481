/** Runs work after all earlier work with the same key has ended or failed. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

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
