import {
  createFairQueue,
  type FairnessPath,
  type FairQueue,
} from '../../platform/kit/fair-queue.ts'
import { hashingBusy } from './password-errors.ts'

export interface GateOptions {
  /** How many may work at once. */
  width: number
  /** How many may wait: so many of those that go first, and as many others. */
  maxWaiting: number
  /** How long one may wait. */
  maxWaitMs: number
}

/** Whose turn a computation takes where not all can be made at once. */
export interface Turn {
  /** The networks of the client, the widest first, or one address or user where clients cannot be told apart. */
  path: FairnessPath
  /** Whether it goes before those of strangers. */
  goesFirst: boolean
}

/** Lets through a bounded number at a time. */
export interface Gate {
  <T>(work: () => Promise<T>, turn?: Turn): Promise<T>
  load(): GateLoad
}

/** How many were let through and have not left, and how many wait. */
export interface GateLoad {
  running: number
  waiting: number
}

/** Whose turn is not known: all of them share one. */
const nobodys: Turn = { path: [''], goesFirst: false }

/** Of so many places that get free one goes to who does not go first, however many of the others wait. */
const placesPerOther = 4

interface Waiting {
  enter(): void
  refuse(): void
}

/**
 * Bounds how many expensive computations run and wait at once, so that a burst of sign-ins neither
 * takes all of the memory nor piles up without end.
 *
 * The queue is fair on each level of networks: the widest take turns, and each divides its turns among its
 * narrower ones. Where the queue is full, the network with the most waiting computations loses the last of them
 * to one with fewer. So a flood from one network delays that network alone.
 *
 * @throws AuthError `service_unavailable` (503) when the queue is full or the wait too long.
 */
export function createGate({ width, maxWaiting, maxWaitMs }: GateOptions): Gate {
  const first = createFairQueue<Waiting>(maxWaiting)
  const others = createFairQueue<Waiting>(maxWaiting)
  let active = 0
  let placesSinceOther = 0

  const enter = async ({ path, goesFirst }: Turn): Promise<void> => {
    if (active < width) {
      active += 1
      return
    }
    // Who is let in inherits the place of who left: `active` stays as it is.
    await waitIn(goesFirst ? first : others, path, maxWaitMs)
  }

  const next = (): Waiting | undefined => {
    const one = placesSinceOther < placesPerOther - 1 ? first.next() : undefined
    placesSinceOther = one ? placesSinceOther + 1 : 0
    return one ?? others.next() ?? first.next()
  }

  const leave = (): void => {
    const waiting = next()
    if (waiting) waiting.enter()
    else active -= 1
  }

  const pass = async <T>(work: () => Promise<T>, turn = nobodys): Promise<T> => {
    await enter(turn)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  const load = (): GateLoad => ({ running: active, waiting: first.size() + others.size() })
  return Object.assign(pass, { load })
}

const waitIn = (queue: FairQueue<Waiting>, path: FairnessPath, maxWaitMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuse = () => {
      clearTimeout(timer)
      reject(hashingBusy())
    }
    const waiting: Waiting = {
      refuse,
      enter: () => {
        clearTimeout(timer)
        resolve()
      },
    }
    const timer = setTimeout(() => {
      queue.remove(path, waiting)
      refuse()
    }, maxWaitMs)
    queue.add(path, waiting)?.refuse()
  })
