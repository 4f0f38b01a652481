/** The place where the metrics of a worker are collected, if its server exports to Prometheus. */
export interface MetricsPlace {
  /** The number of the worker, from 1. */
  worker: number
  /** Receives the function that collects the metrics at present, as data of JSON. */
  offer(collect: () => Promise<unknown>): void
}
