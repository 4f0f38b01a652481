/** Knows what is running, so that closing can wait for it. */
export interface Drain {
  /** Runs the work; refuses it once closed. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Refuses new work from now on, and waits until all running work has ended. */
  close(): Promise<void>
}

/** Work was offered to something that was closed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'
}

export function createDrain(): Drain {
  const running = new Set<Promise<unknown>>()
  let closed = false
  return {
    track: async (work) => {
      if (closed) throw new ClosedError('this Latchkey was closed')
      const ending = work()
      running.add(ending)
      try {
        return await ending
      } finally {
        running.delete(ending)
      }
    },
    close: async () => {
      closed = true
      await Promise.allSettled(running)
    },
  }
}
