import type { WaitUntil } from '../../platform/config/sections/background.ts'
import type { HashLearning } from './learn-stored-hashes.ts'
import type { Sweeping } from './sweep-expired.ts'

/** How a request or call came. */
export interface RequestScope {
  /** Keeps the process running after it; null where nothing does. */
  waitUntil: WaitUntil | null
  /** Whether it may wait for what is due where nothing runs after it. One that looks up a user on the way does not. */
  isAwaited: boolean
}

/** What is to be done every now and then. */
export interface BackgroundTasks {
  learning: HashLearning
  /** Null where rows are swept by others. */
  sweeping: Sweeping | null
  /** Sees to keys that were not looked at for long. */
  renewKeys(): Promise<void>
}

/** What goes on beside requests and calls. */
export interface Background {
  tasks: BackgroundTasks
  /** Does the work of a request or call, and sees to what it has set off, and what is due. */
  runWithin<T>(work: () => Promise<T>, scope: RequestScope): Promise<T>
  close(): Promise<void>
}
