// Preloaded into a process that does nothing between requests: its timers fire only during a
// request or work for `waitUntil`. A timeout that is due before waits for the next request; a tick
// of an interval is dropped.
import { createRequire, syncBuiltinESMExports } from 'node:module'

type Callback = (...args: unknown[]) => unknown

const waiting: (() => void)[] = []
let open = 0

/** Begins work during which timers fire. */
export function enter(): void {
  open += 1
  for (const fire of waiting.splice(0)) setImmediate(fire)
}

/** Ends work. @returns whether no other work is left. */
export function leave(): boolean {
  open -= 1
  return open === 0
}

const timers = createRequire(import.meta.url)('node:timers') as typeof import('node:timers')
const promises = createRequire(import.meta.url)(
  'node:timers/promises',
) as typeof import('node:timers/promises')
const { setTimeout: startTimeout, setInterval: startInterval } = timers
const { setTimeout: sleep } = promises

const gatedTimeout = (callback: Callback, ms?: number, ...args: unknown[]) => {
  const timer = startTimeout(() => {
    const fire = () => callback(...args)
    if (open > 0) fire()
    else waiting.push(fire)
  }, ms)
  return timer
}
const gatedInterval = (callback: Callback, ms?: number, ...args: unknown[]) =>
  startInterval(() => {
    if (open > 0) callback(...args)
  }, ms)
const gatedSleep: typeof sleep = async (...given) => {
  const value = await sleep(...given)
  if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve))
  return value
}

let aheadMs = 0

/** Advances only the wall clock, as for a virtual machine that was paused. */
export function advanceClock(seconds: number): void {
  aheadMs += seconds * 1000
}

class MovedDate extends Date {
  constructor(...given: [] | [number]) {
    if (given.length === 0) super(MovedDate.now())
    else super(...given)
  }
  static override now(): number {
    return performance.timeOrigin + performance.now() + aheadMs
  }
}

Object.assign(globalThis, { setTimeout: gatedTimeout, setInterval: gatedInterval, Date: MovedDate })
Object.assign(timers, { setTimeout: gatedTimeout, setInterval: gatedInterval })
Object.assign(promises, { setTimeout: gatedSleep })
syncBuiltinESMExports()
