/** Waits until the current iteration of the event loop has capacity for work of this cost. */
export type LoopTurns = (cost: number) => Promise<void>

/**
 * Distributes synchronous work over iterations of the event loop, in the order of the calls, so
 * that other requests are served in between.
 *
 * @param maxCost the maximum of one iteration. More expensive work has an iteration of its own.
 */
export function createLoopTurns(maxCost: number): LoopTurns {
  const waiting: { cost: number; begin: () => void }[] = []
  let spent = 0
  let isScheduled = false

  const hasRoom = (cost: number): boolean => spent === 0 || spent + cost <= maxCost
  const spend = (cost: number): void => {
    spent += cost
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }
  const nextTurn = (): void => {
    isScheduled = false
    spent = 0
    for (let next = waiting[0]; next && hasRoom(next.cost); next = waiting[0]) {
      waiting.shift()
      spend(next.cost)
      next.begin()
    }
  }
  return async (cost) => {
    if (waiting.length > 0 || !hasRoom(cost)) {
      await new Promise<void>((begin) => waiting.push({ cost, begin }))
    } else spend(cost)
  }
}
