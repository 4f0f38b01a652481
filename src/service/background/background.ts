import type { WaitUntil } from '../../platform/config/sections/server.ts'
import type { HashLearning } from './learn-stored-hashes.ts'
import type { Sweeping } from './sweep-expired.ts'

/** The origin of a request or call. */
export interface RequestScope {
  /** Keeps the process running after the response; null where the host has no such function. */
  waitUntil: WaitUntil | null
  /**
   * Whether it may wait for due tasks where nothing runs after the response. False for a look-up of
   * a user within a request.
   */
  isAwaited: boolean
}

/** The periodic tasks. */
export interface BackgroundTasks {
  learning: HashLearning
  /** Null where expired rows are deleted elsewhere. */
  sweeping: Sweeping | null
  /** Renews keys that were not checked for a long time. */
  renewKeys(): Promise<void>
}

/** The work besides requests and calls. */
export interface Background {
  tasks: BackgroundTasks
  /** Runs a request or call, and its background work and due tasks. */
  runWithin<T>(work: () => Promise<T>, scope: RequestScope): Promise<T>
  close(): Promise<void>
}
