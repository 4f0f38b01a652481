import { pathOfClient, type ScopedClient } from '../../platform/kit/client-scope.ts'
import {
  createFairQueue,
  type FairnessPath,
  type FairQueue,
} from '../../platform/kit/fair-queue.ts'
import { hashingBusy } from './password-errors.ts'

export interface GateOptions {
  /** The number of concurrent computations. */
  width: number
  /** The size of the queue: so many with priority, and as many others. */
  maxWaiting: number
  /** The maximum time in the queue. */
  maxWaitMs: number
}

/** The fairness key and priority of a computation in the queue. */
export interface HashingPriority {
  /**
   * The networks of the client, the widest first; one address or user where clients are
   * indistinguishable.
   */
  path: FairnessPath
  /** True for known users, who precede other clients. */
  hasPriority: boolean
}

/** Admits a bounded number of computations at a time. */
export interface Gate {
  <T>(work: () => Promise<T>, priority?: HashingPriority): Promise<T>
  /** Whether a computation would start or wait now. */
  admits(priority: HashingPriority): boolean
  load(): GateLoad
}

/** The number of running and of waiting computations. */
export interface GateLoad {
  running: number
  waiting: number
}

/** The priority that computations without a fairness key share. */
const withoutPriority: HashingPriority = { path: [''], hasPriority: false }

/** The ratio of free places: one in this number is for a computation without priority. */
const placesPerOther = 4

interface Waiting {
  enter(): void
  refuse(): void
}

/**
 * Bounds the number of expensive computations that run and wait, so that a burst of sign-ins
 * neither uses all memory nor queues without limit.
 *
 * The queue is fair on each level of networks: the widest alternate, and each divides its turns
 * among its narrower ones. If the queue is full, the network with the most waiting computations
 * loses the last of them to a network with fewer. So a flood from one network delays that network
 * only.
 *
 * @throws AuthError `service_unavailable` (503) when the queue is full or the wait too long.
 */
export function createGate({ width, maxWaiting, maxWaitMs }: GateOptions): Gate {
  const first = createFairQueue<Waiting>(maxWaiting)
  const others = createFairQueue<Waiting>(maxWaiting)
  const queueFor = (hasPriority: boolean) => (hasPriority ? first : others)
  let active = 0
  let placesSinceOther = 0

  const enter = async ({ path, hasPriority }: HashingPriority): Promise<void> => {
    if (active < width) {
      active += 1
      return
    }
    // The next computation takes the place of the one that ends, so `active` does not change.
    await waitIn(queueFor(hasPriority), path, maxWaitMs)
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

  const pass = async <T>(work: () => Promise<T>, priority = withoutPriority): Promise<T> => {
    await enter(priority)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  const load = (): GateLoad => ({ running: active, waiting: first.size() + others.size() })
  const admits = ({ path, hasPriority }: HashingPriority): boolean =>
    active < width || queueFor(hasPriority).admits(path)
  return Object.assign(pass, { admits, load })
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

interface Needs {
  request: Pick<ScopedClient, 'clientKey'>
}

/**
 * The fairness key and priority of a request while the gate of password hashing is busy. The key is
 * the client, or the subject where clients cannot be distinguished.
 *
 * @param subject the requested address, or the id of the signed-in user.
 * @param user `known` if signed in, or at a network of a recent sign-in; a known user has priority.
 */
export const hashingPriority = (
  { request }: Needs,
  subject: string,
  user: 'known' | 'unknown',
): HashingPriority => ({ path: pathOfClient(request, subject), hasPriority: user === 'known' })

/** The fairness key and priority of operators, who are few and authenticated. */
export const operatorPriority = (needs: Needs): HashingPriority =>
  hashingPriority(needs, 'operator', 'known')
