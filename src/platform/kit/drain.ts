/** Knows what is running, so that closing can wait for it. */
export interface Drain {
  /** Runs the work; refuses it once closed. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Refuses new work from now on, and waits until all running work has ended. */
  close(): Promise<void>
}

/** Work was offered to something that was closed, as a call after `auth.close()` is; requests are answered 503 then. */
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
