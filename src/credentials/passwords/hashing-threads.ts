import { Worker } from 'node:worker_threads'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import { type Computations, type Compute, type Computed, computeInProcess } from './compute.ts'
import { createGate, type Gate, type GateLoad, type HashingPriority } from './gate.ts'
import { findAddon, type HashAddons, loadHashAddons } from './hash-addons.ts'
import { hashingStopped } from './password-errors.ts'

/** The module and export of each computation in a thread. */
const functions: Record<keyof Computations, { home: string; name: string }> = {
  makeArgon2: { home: 'argon2', name: 'hashSync' },
  verifyArgon2: { home: 'argon2', name: 'verifySync' },
  verifyBcrypt: { home: 'bcrypt', name: 'verifySync' },
  deriveScryptKey: { home: 'crypto', name: 'scryptSync' },
  derivePbkdf2Key: { home: 'crypto', name: 'pbkdf2Sync' },
}

/** The modules that a thread loads. The addons are the files that this process has loaded. */
const homesOf = ({ argon2, bcrypt }: HashAddons): Record<string, string> => ({
  argon2: findAddon('hashSync', argon2.hashSync),
  bcrypt: findAddon('verifySync', bcrypt.verifySync),
  crypto: 'node:crypto',
})

export interface HashingThreadsOptions {
  /** The number of threads. */
  count: number
  /** The size of the queue: so many with priority, and as many others. */
  maxWaiting: number
  /** The maximum time in the queue. */
  maxWaitMs: number
  /** Receives a warning when no threads can be created. */
  logger?: Logger
}

/** Threads that only hash. */
export interface HashingThreads {
  /** Computes with the shared priority of computations without a fairness key. */
  compute: Compute
  /** Returns a function that computes with the given priority. */
  computeWith(priority: HashingPriority): Compute
  /**
   * Returns a function for computations that take seconds. They run one at a time on a thread of
   * their own, so that no number of them delays the others.
   */
  computeCostlyWith(priority?: HashingPriority): Compute
  /** Whether a computation with this priority would start or wait now, rather than fail. */
  admits(priority: HashingPriority): boolean
  /**
   * The number of running computations, those in a thread's queue included, and of waiting ones.
   */
  load(): GateLoad
  /** Stops the threads. Unfinished computations fail. */
  close(): Promise<void>
}

/**
 * The increment of niceness. Where cores are scarce, these threads get a tenth of the time of
 * others.
 *
 * @see nice(1)
 */
const niceness = 10

/**
 * The program of a thread. On Linux a thread has its own priority, under the number that
 * `/proc/thread-self` contains. The program is a string, since a bundler of the host would omit a
 * file that only a path refers to.
 */
const threadSource = `
const { readlinkSync } = require('node:fs')
const { getPriority, setPriority } = require('node:os')
const { parentPort, workerData } = require('node:worker_threads')

try {
  const thread = Number(readlinkSync('/proc/thread-self').split('/').pop())
  setPriority(thread, Math.min(getPriority(thread) + ${niceness}, 19))
} catch {
  // Elsewhere it goes on at the priority of the process.
}

const homes = {}
try {
  for (const [home, path] of Object.entries(workerData)) homes[home] = require(path)
  parentPort.postMessage({ isReady: true })
} catch (unready) {
  parentPort.postMessage({ unready })
}

parentPort.on('message', ({ home, name, args }) => {
  try {
    const compute = homes[home][name]
    const startedAt = performance.now()
    const value = compute(...args)
    parentPort.postMessage({ value, ms: performance.now() - startedAt })
  } catch (error) {
    parentPort.postMessage({ error })
  }
})`

type Outcome = Computed<unknown> | { error: unknown }
type Word = Outcome | { isReady: true } | { unready: unknown }

interface Waiting {
  /** Computes in this process instead. */
  computeHere(): void
  fulfil(value: never): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  isReady: boolean
  /** The recipients of the results, in the order of the computations. */
  waiting: Waiting[]
}

/** Threads with a gate of their own. */
interface ThreadGroup {
  gate: Gate
  threads: Set<Thread>
  /** The maximum number of threads. */
  count: number
}

/**
 * Opens threads, each when the first computation needs it.
 *
 * On the thread pool of Node, hashes would delay the host's file access even if two of four threads
 * stay free: the scheduler delays a thread that has computed for long, and any of them may read the
 * next file. Where a host allows no threads, or they cannot load the addons, hashes are computed on
 * that pool nevertheless, with a warning.
 *
 * @throws HashingPackageMissingError if an addon is not installed.
 */
export async function openHashingThreads({
  count,
  logger = silentLogger,
  ...bounds
}: HashingThreadsOptions): Promise<HashingThreads> {
  const addons = await loadHashAddons()
  // Twice the number of threads: a thread starts the next computation while the main thread is
  // busy.
  const ordinary: ThreadGroup = {
    gate: createGate({ width: 2 * count, ...bounds }),
    threads: new Set(),
    count,
  }
  const costly: ThreadGroup = {
    gate: createGate({ width: 1, ...bounds }),
    threads: new Set(),
    count: 1,
  }
  const groups = [ordinary, costly]
  const here = computeInProcess(addons)
  let isClosed = false
  let isThreadless = false

  const doWithout = (reason: unknown): void => {
    if (!isThreadless && !isClosed) {
      logger.warn(
        { fault: describeFault(reason) },
        'hashing threads unavailable; passwords are hashed on the thread pool of Node',
      )
    }
    isThreadless = true
    for (const { worker, waiting } of threadsOf(groups)) {
      for (const { computeHere } of waiting.splice(0)) computeHere()
      void worker.terminate()
    }
  }

  const open = ({ threads }: ThreadGroup): Thread => {
    const worker = new Worker(threadSource, {
      eval: true,
      name: 'latchkey-hashing',
      workerData: homesOf(addons),
      // Options of the host, such as modules to preload, do not apply to these threads.
      execArgv: [],
      // Hashes use memory outside this limit. Exceeding it is a defect.
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    const thread: Thread = { worker, isReady: false, waiting: [] }
    worker.on('message', (word: Word) => {
      if ('unready' in word) doWithout(word.unready)
      else if ('isReady' in word) thread.isReady = true
      else settle(thread, word)
    })
    let reason: unknown
    worker.on('error', (error) => {
      reason = error
    })
    worker.on('exit', () => {
      // A thread that was ready may fail because of its input; another one will not.
      if (!thread.isReady && !isClosed) doWithout(reason)
      threads.delete(thread)
      for (const { reject } of thread.waiting) reject(hashingStopped(reason))
    })
    threads.add(thread)
    return thread
  }

  const threadFor = (group: ThreadGroup): Thread | null => {
    try {
      return leastBusy(group) ?? open(group)
    } catch (error) {
      doWithout(error)
      return null
    }
  }

  const computeIn =
    (group: ThreadGroup, priority?: HashingPriority): Compute =>
    (computation, ...args) =>
      group.gate(
        () =>
          new Promise((fulfil, reject) => {
            if (isClosed) throw hashingStopped()
            const computeHere = () => fulfil(here(computation, args) as never)
            const thread = isThreadless ? null : threadFor(group)
            if (!thread) return computeHere()
            thread.worker.postMessage({ ...functions[computation], args })
            thread.waiting.push({ fulfil, reject, computeHere })
            // Keeps the process alive until the hash is computed.
            thread.worker.ref()
          }),
        priority,
      )

  return {
    compute: computeIn(ordinary),
    computeWith: (priority) => computeIn(ordinary, priority),
    computeCostlyWith: (priority) => computeIn(costly, priority),
    admits: ordinary.gate.admits,
    load: () => {
      const loads = groups.map(({ gate }) => gate.load())
      return {
        running: sum(loads.map(({ running }) => running)),
        waiting: sum(loads.map(({ waiting }) => waiting)),
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(threadsOf(groups).map(({ worker }) => worker.terminate()))
    },
  }
}

const threadsOf = (groups: readonly ThreadGroup[]): Thread[] =>
  groups.flatMap(({ threads }) => [...threads])

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0)

/** Returns undefined where another thread is to be opened. */
function leastBusy({ threads, count }: ThreadGroup): Thread | undefined {
  const [thread] = [...threads].sort((one, other) => one.waiting.length - other.waiting.length)
  return thread && (thread.waiting.length === 0 || threads.size >= count) ? thread : undefined
}

function settle({ worker, waiting }: Thread, outcome: Outcome): void {
  const first = waiting.shift()
  if (waiting.length === 0) worker.unref()
  if ('error' in outcome) first?.reject(outcome.error)
  else first?.fulfil(outcome as never)
}
