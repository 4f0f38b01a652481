import { hashingBusy } from './password-errors.ts'

export interface GateOptions {
  /** How many may work at once. */
  width: number
  /** How many may wait. */
  maxWaiting: number
  /** How long one may wait. */
  maxWaitMs: number
}

/** Lets through a bounded number at a time. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Bounds how many expensive computations run and wait at once, so that a burst of sign-ins neither
 * takes all of the memory nor piles up without end.
 *
 * @throws AuthError `service_unavailable` (503) when the queue is full or the wait too long.
 */
export function createGate({ width, maxWaiting, maxWaitMs }: GateOptions): Gate {
  const waiting = new Set<() => void>()
  let active = 0

  const enter = async (): Promise<void> => {
    if (active < width) {
      active += 1
      return
    }
    if (waiting.size >= maxWaiting) throw hashingBusy()
    // Who is let in inherits the place of who left: `active` stays as it is.
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(letIn)
        reject(hashingBusy())
      }, maxWaitMs)
      const letIn = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.add(letIn)
    })
  }

  const leave = (): void => {
    const [next] = waiting
    if (!next) {
      active -= 1
      return
    }
    waiting.delete(next)
    next()
  }

  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
