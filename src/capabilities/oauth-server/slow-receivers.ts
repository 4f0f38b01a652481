/** A receiver is slow if its last call took longer than this, or failed. */
const slowMs = 1_000

/** The calls to a slow receiver at the same time: fewer than a channel has slots. */
const maxOfSlow = 3

interface Receiver {
  running: number
  isSlow: boolean
}

/**
 * Limits calls to receivers that do not respond in time, so that messages to others find a slot.
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
