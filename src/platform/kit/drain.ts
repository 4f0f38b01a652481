/** A counter of running work, so that closing can wait for it. */
export interface Drain {
  /** Runs the work; rejects it after closing. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Rejects new work, and waits until all running work has ended. */
  close(): Promise<void>
}

/** The component was closed, as in a call after `auth.close()`; requests then get a 503. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'
  readonly status = 503
}

export function createDrain(): Drain {
  let running = 0
  let closed = false
  let whenEmpty = () => {}
  const empty = new Promise<void>((resolve) => {
    whenEmpty = resolve
  })
  return {
    track: async (work) => {
      if (closed) throw new ClosedError('this Latchkey was closed')
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        if (closed && running === 0) whenEmpty()
      }
    },
    close: async () => {
      closed = true
      if (running > 0) await empty
    },
  }
}
