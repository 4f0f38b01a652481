import type { OpenLimitStore } from '../limits/limit-store.ts'
import type { MetricsPlace } from '../platform/observability/telemetry.ts'

/** A background task that one worker runs for all: a timer that reads the database. */
export type GroupTask = 'keys' | 'outbox' | 'sweeping'

/** The number of workers, and of those that accept requests. */
export interface WorkerCounts {
  count: number
  ready: number
}

/** The worker processes of one server, as one of them sees the others. */
export interface WorkerGroup {
  /** Counts the limits per client of all workers, unless another store is configured. */
  limits: OpenLimitStore
  /** The number of hashing threads of this process. */
  hashingThreads: number
  metrics: MetricsPlace
  counts(): WorkerCounts
  /** Reports whether this worker runs a background task at present. */
  isElected(task: GroupTask): boolean
  /** Notifies the other workers that the signing keys have changed. */
  announceKeys(): void
  /** Calls the function when another worker announces changed keys. */
  onKeys(changed: () => void): void
}
