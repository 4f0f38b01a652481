/**
 * A call that takes longer than this makes its receiver a slow one, until its last running call
 * ends in time.
 */
const slowMs = 1_000

/** The calls to a slow receiver at the same time: fewer than a channel has slots. */
const maxOfSlow = 3

interface Receiver {
  running: number
  isSlow: boolean
}

/**
 * Returns a function that calls receivers, of slow ones few at once, so that messages to others
 * find a slot.
 *
 * @param now returns milliseconds.
 */
export function limitSlowReceivers(now: () => number = () => performance.now()) {
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
    try {
      return await call()
    } finally {
      receiver.running -= 1
      receiver.isSlow = now() - startedAt > slowMs || (receiver.isSlow && receiver.running > 0)
      if (receiver.running === 0 && !receiver.isSlow) receivers.delete(name)
    }
  }
}
