/** A call that takes longer than this, or fails, makes its receiver a slow one until one does not. */
const slowMs = 1_000

/** The calls to a slow receiver at the same time: fewer than the slots of a channel of the outbox. */
const maxOfSlow = 3

interface Receiver {
  running: number
  isSlow: boolean
}

/**
 * Limits calls to receivers that do not respond in time, so that messages to others find a free slot.
 *
 * @param now returns milliseconds.
 */
export function createSlowReceivers(now: () => number = () => performance.now()) {
  const receivers = new Map<string, Receiver>()

  /**
   * Calls a receiver.
   *
   * @param rejected returns the error for a call beyond the limit.
   */
  return async <T>(name: string, call: () => Promise<T>, rejected: () => Error): Promise<T> => {
    const receiver = receivers.get(name) ?? { running: 0, isSlow: false }
    if (receiver.isSlow && receiver.running >= maxOfSlow) throw rejected()
    receivers.set(name, receiver)
    receiver.running += 1
    const startedAt = now()
    let hasAnswered = false
    try {
      const answer = await call()
      hasAnswered = true
      return answer
    } finally {
      receiver.running -= 1
      receiver.isSlow = !hasAnswered || now() - startedAt > slowMs
      if (receiver.running === 0 && !receiver.isSlow) receivers.delete(name)
    }
  }
}
