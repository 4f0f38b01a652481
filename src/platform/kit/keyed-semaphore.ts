import { createSemaphore, type Semaphore } from './semaphore.ts'

/** Runs work at once, or after earlier work with the same key. */
export type KeyedSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Limits concurrent work with the same key. Work with other keys does not wait for it. */
export function createKeyedSemaphore(width: number): KeyedSemaphore {
  const lines = new Map<string, { count: number; inTurn: Semaphore }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { count: 0, inTurn: createSemaphore(width) }
    lines.set(key, line)
    line.count += 1
    try {
      return await line.inTurn(work)
    } finally {
      line.count -= 1
      if (line.count === 0) lines.delete(key)
    }
  }
}
