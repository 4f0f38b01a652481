import { createFairQueue, type FairnessPath, type FairQueue } from './fair-queue.ts'

/**
 * Runs work at once, or after earlier work with the same key. Networks take turns, so that the work
 * of one delays that of another by one turn only.
 */
export type KeyedSemaphore = <T>(
  key: string,
  path: FairnessPath,
  work: () => Promise<T>,
) => Promise<T>

interface Line {
  active: number
  /** Null until work has to wait, which is rare. */
  waiting: FairQueue<() => void> | null
}

/** Limits concurrent work with the same key. Work with other keys does not wait for it. */
export function createKeyedSemaphore(width: number): KeyedSemaphore {
  const lines = new Map<string, Line>()
  return async (key, path, work) => {
    const line = lines.get(key) ?? { active: 0, waiting: null }
    lines.set(key, line)
    if (line.active < width) line.active += 1
    else await untilNext(line, path)
    try {
      return await work()
    } finally {
      // The next work inherits the place.
      const next = line.waiting?.next()
      if (next) next()
      else line.active -= 1
      if (line.active === 0) lines.delete(key)
    }
  }
}

const untilNext = (line: Line, path: FairnessPath): Promise<void> =>
  new Promise((resolve) => {
    line.waiting ??= createFairQueue(Number.POSITIVE_INFINITY)
    line.waiting.add(path, resolve)
  })
