import type { Worker } from 'node:cluster'
import {
  createMetricSums,
  type PlainMetric,
} from '../../platform/observability/opentelemetry/sum-metrics.ts'
import type { ToWorker } from './messages.ts'

/** The sums of the metrics of all workers. */
export interface CollectedMetrics {
  /** Collects the metrics of the running workers, and adds the counts of ended ones. */
  collect(workers: readonly Worker[]): Promise<PlainMetric[]>
  receive(worker: Worker, message: { id: number | null; data: unknown }): void
  /** Keeps the last counts of a worker that has ended, so that the sums never decrease. */
  noteEnd(worker: Worker): void
}

/** The time limit for a worker. If it does not respond, its last metrics are used. */
const patienceMs = 2_000

export function createCollectedMetrics(
  send: (worker: Worker, message: ToWorker) => void,
): CollectedMetrics {
  const lastOf = new Map<Worker, PlainMetric[]>()
  const waiting = new Map<string, () => void>()
  let ended: PlainMetric[] = []
  let lastId = 0

  const requestMetrics = (worker: Worker, id: number): Promise<void> =>
    new Promise((resolve) => {
      const key = `${worker.id} ${id}`
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(key)
        resolve()
      }
      const timer = setTimeout(done, patienceMs)
      waiting.set(key, done)
      send(worker, { collect: id })
    })

  return {
    collect: async (workers) => {
      lastId += 1
      const id = lastId
      await Promise.all(workers.map((worker) => requestMetrics(worker, id)))
      const sums = createMetricSums(ended)
      for (const metrics of lastOf.values()) sums.add(metrics)
      return sums.all()
    },
    receive: (worker, { id, data }) => {
      if (Array.isArray(data)) lastOf.set(worker, data)
      if (id !== null) waiting.get(`${worker.id} ${id}`)?.()
    },
    noteEnd: (worker) => {
      const last = lastOf.get(worker)
      lastOf.delete(worker)
      if (!last) return
      const sums = createMetricSums(ended)
      sums.addEnded(last)
      ended = sums.all()
    },
  }
}
