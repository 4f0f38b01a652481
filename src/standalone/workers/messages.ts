import type { GroupTask, WorkerCounts } from '../../service/worker-group.ts'
import type { EndLimits } from '../server/listen.ts'
import type { Environment } from '../settings/environment-remarks.ts'

/** The number of a worker, from 0, and the number of all workers. */
export interface WorkerPlace {
  slot: number
  count: number
}

/** The address that the workers share. */
export interface SharedAddress {
  url: string
  addresses: string[]
}

/** The data that a worker starts with. */
export interface WorkerStart extends WorkerPlace {
  /** The settings. A worker that starts later has the same ones as the others. */
  environment: Environment
  /** The port, where the setting is 0. */
  port: number
}

/** A limit of a request, with the SHA-256 of its key: key, burst, refill per second. */
export type SentLimit = [key: string, burst: number, refillPerSecond: number]

/** A message of the primary process to a worker. */
export type ToWorker =
  | { start: WorkerStart }
  | { counts: WorkerCounts }
  | { elected: GroupTask[] }
  /** The seconds to wait; null where the limits allow the request. */
  | { taken: { id: number; waitSeconds: number | null } }
  | { collect: number }
  | { keysChanged: true }
  /**
   * A heartbeat, with its number. A worker responds to it as soon as its event loop is free, and to
   * the messages before it first.
   */
  | { beat: number }
  | { stop: 'announce' | 'refuse' }
  | { end: EndLimits }

/** A message of a worker to the primary process. */
export type ToPrimary =
  | { ready: SharedAddress }
  | { failed: string }
  /** Until `untilMs` the worker waits for a decision; afterwards it has rejected the request. */
  | { take: { id: number; limits: SentLimit[]; untilMs: number } }
  | { metrics: { id: number | null; data: unknown } }
  | { keysChanged: true }
  /** It received a signal to stop, which only the primary process follows. */
  | { signalled: true }
  | { beat: number }
  | { refusing: true }
