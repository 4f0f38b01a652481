import { Worker } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { verifySync as verifyBcryptSync } from '@node-rs/bcrypt'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { Computations, Compute, Computed } from './compute.ts'
import { computeInProcess } from './compute-in-process.ts'
import { findAddon } from './find-addon.ts'
import { createGate, type GateLoad, type Turn } from './gate.ts'
import { hashingStopped } from './password-errors.ts'

/** Where each is found in a thread, by the name that the thread knows it under. */
const functions: Record<keyof Computations, { home: string; name: string }> = {
  makeArgon2: { home: 'argon2', name: 'hashSync' },
  verifyArgon2: { home: 'argon2', name: 'verifySync' },
  verifyBcrypt: { home: 'bcrypt', name: 'verifySync' },
  deriveScryptKey: { home: 'crypto', name: 'scryptSync' },
  derivePbkdf2Key: { home: 'crypto', name: 'pbkdf2Sync' },
}

/** What a thread loads. The addons are those that this process has loaded for these functions. */
const homes = (): Record<string, string> => ({
  argon2: findAddon('hashSync', hashSync),
  bcrypt: findAddon('verifySync', verifyBcryptSync),
  crypto: 'node:crypto',
})

export interface HashingThreadsOptions {
  /** How many compute at once. */
  count: number
  /** How many computations may wait: so many of those that go first, and as many others. */
  maxWaiting: number
  /** How long one may wait. */
  maxWaitMs: number
  /** Hears when there can be no threads. */
  logger?: Logger
}

/** Threads that do nothing but hash. */
export interface HashingThreads {
  /** Computes in a turn that all share whose turn is not known. */
  compute: Compute
  /** What computes in somebody's turn. */
  computeIn(turn: Turn): Compute
  /** How many computations run or are handed to a thread, and how many wait for that. */
  load(): GateLoad
  /** Ends them; what they were at fails. */
  close(): Promise<void>
}

/**
 * How much less than the process's other threads these count for where cores are scarce: a third.
 *
 * @see nice(1)
 */
const niceness = 5

/**
 * Linux alone gives each thread a priority of its own, by a number that the kernel tells of it.
 * Written as text, since what bundles a host's code would leave behind a file that only a path names.
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
  /** Has it computed in this process instead. */
  computeHere(): void
  fulfil(value: never): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  isReady: boolean
  /** Who gets the results of what it was given, in the order in which it was. */
  waiting: Waiting[]
}

/**
 * Opens threads, each when there is first something to do for it.
 *
 * On the four threads that Node reads files with, hashes would hold up the host even where two of the
 * four stay free: the scheduler makes a thread wait that has just computed for long, and which of them
 * reads the next file is chance. Where a host allows no threads, or they cannot load what hashes, that is
 * where hashes are computed all the same, with a warning.
 */
export function openHashingThreads({
  count,
  logger = silentLogger,
  ...bounds
}: HashingThreadsOptions): HashingThreads {
  // A thread that is done goes on with the next at once, however busy the one that hands it out is.
  const gate = createGate({ width: 2 * count, ...bounds })
  const threads = new Set<Thread>()
  const here = computeInProcess()
  let isClosed = false
  let isThreadless = false

  const doWithout = (reason: unknown): void => {
    if (!isThreadless && !isClosed) {
      logger.warn(
        { fault: describeFault(reason) },
        'passwords are hashed on the threads that Node reads files with: there can be no others',
      )
    }
    isThreadless = true
    for (const { worker, waiting } of threads) {
      for (const { computeHere } of waiting.splice(0)) computeHere()
      void worker.terminate()
    }
  }

  const open = (): Thread => {
    const worker = new Worker(threadSource, {
      eval: true,
      name: 'latchkey-hashing',
      workerData: homes(),
      // What the host was started with, such as a module to load first, is not for these.
      execArgv: [],
      // What they hash in is not of this: with more than this, something went wrong.
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
      // One that has begun may break at what it was given, and the next will not.
      if (!thread.isReady && !isClosed) doWithout(reason)
      threads.delete(thread)
      for (const { reject } of thread.waiting) reject(hashingStopped(reason))
    })
    threads.add(thread)
    return thread
  }

  const threadFor = (): Thread | null => {
    try {
      return leastBusy(threads, count) ?? open()
    } catch (error) {
      doWithout(error)
      return null
    }
  }

  const computeIn =
    (turn?: Turn): Compute =>
    (computation, ...args) =>
      gate(
        () =>
          new Promise((fulfil, reject) => {
            if (isClosed) throw hashingStopped()
            const computeHere = () => fulfil(here(computation, args) as never)
            const thread = isThreadless ? null : threadFor()
            if (!thread) return computeHere()
            thread.worker.postMessage({ ...functions[computation], args })
            thread.waiting.push({ fulfil, reject, computeHere })
            // A process does not end before its hashes do.
            thread.worker.ref()
          }),
        turn,
      )

  return {
    compute: computeIn(),
    computeIn,
    load: gate.load,
    close: async () => {
      isClosed = true
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}

/** Undefined where one more is to be opened. */
function leastBusy(threads: Set<Thread>, count: number): Thread | undefined {
  const [thread] = [...threads].sort((one, other) => one.waiting.length - other.waiting.length)
  return thread && (thread.waiting.length === 0 || threads.size >= count) ? thread : undefined
}

function settle({ worker, waiting }: Thread, outcome: Outcome): void {
  const first = waiting.shift()
  if (waiting.length === 0) worker.unref()
  if ('error' in outcome) first?.reject(outcome.error)
  else first?.fulfil(outcome as never)
}
