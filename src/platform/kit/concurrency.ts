import { createFairQueue, type FairnessPath, type FairQueue } from './fair-queue.ts'

/** Runs work after all earlier work with the same key has ended or failed. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedMutex(): KeyedMutex {
  const lasts = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const done = (lasts.get(key) ?? Promise.resolve()).then(work, work)
    lasts.set(key, done)
    try {
      return await done
    } finally {
      if (lasts.get(key) === done) lasts.delete(key)
    }
  }
}

/** Runs work at once or after waiting. */
type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Limits concurrent work. Other work waits, in the order of the calls. */
export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active < width) active += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next work inherits the place.
      const next = waiting.shift()
      if (next) next()
      else active -= 1
    }
  }
}

/** Runs work for a key, unless it is already running: then its result or error is shared. */
export type SingleFlight = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * @returns a function for work of one kind: all work with the same key has the same result type.
 */
export function createSingleFlight(): SingleFlight {
  const running = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>) => {
    const known = running.get(key)
    if (known) return known as Promise<T>
    const started = work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}

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
