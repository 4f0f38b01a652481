import { isError } from '../kit/is-error.ts'
import type { CounterName, DurationName, GaugeName } from './instruments.ts'

/**
 * The attributes of a span or measurement. Values are from short lists, and none identifies a user.
 */
export type Attributes = Readonly<Record<string, string | number>>

/** An operation that a trace shows as a span. */
export interface Step {
  /** One of a few names; contains no id. */
  name: string
  kind?: 'server' | 'client'
  attributes?: Attributes
  /** Headers that may name the parent span in another service. */
  headers?: { get(name: string): string | null }
  /** Whether it begins a separate trace, whatever caused it. */
  isRoot?: boolean
  /** Whether it is recorded only as a child of another span. */
  isPart?: boolean
  /** Whether it has no child spans of Latchkey. */
  isLeaf?: boolean
}

/** The span of a running step. */
export interface Span {
  set(attributes: Attributes): void
  rename(name: string): void
  /** Marks it as failed without an exception. */
  fail(errorType: string): void
}

/** Traces and metrics. Absent if both are disabled. */
export interface Telemetry {
  /** Runs a step. An exception of its work marks the span and is thrown again. */
  run<T>(step: Step, work: (span: Span) => Promise<T>): Promise<T>
  /**
   * Counts an event. Reusing the same attributes object is cheaper than an equal one, here and for
   * `time`.
   */
  count(name: CounterName, attributes: Attributes): void
  time(name: DurationName, seconds: number, attributes: Attributes): void
  /** Reads a value whenever metrics are collected, and replaces its previous reader. */
  observe(name: GaugeName, read: () => Promise<GaugeReading[]> | GaugeReading[]): void
  /** Runs background work without the trace of the current request. */
  detached<T>(work: () => T): T
  /** Returns headers that name the running span for another service. */
  headers(): Record<string, string>
  /** Exports the data so far, for at most five seconds. Never fails. */
  flush(): Promise<void>
  /** Exports the rest, for at most five seconds. */
  close(): Promise<void>
}

export interface GaugeReading {
  value: number
  attributes?: Attributes
}

/** Returns the seconds since an instant of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000

/**
 * Returns the kind of an error as a word without sensitive data: its code, or else its name. Its
 * message is not used, since it may quote values of a request.
 */
export function errorTypeOf(error: unknown): string {
  if (!isError(error)) return '_OTHER'
  const code = 'code' in error ? String(error.code) : ''
  const word = code || error.name
  return /^\w{1,60}$/.test(word) ? word : '_OTHER'
}

/**
 * Counts a rejection.
 *
 * @param operation `POST /token`, or `api.signInWithPassword`.
 * @param method the sign-in method; undefined if the operation is not a sign-in.
 */
export function countRejection(
  telemetry: Telemetry,
  operation: string,
  code: string,
  method: string | undefined,
): void {
  telemetry.count('auth.refusals', { 'auth.operation': operation, 'auth.error_code': code })
  if (method === undefined) return
  telemetry.count('auth.sign_ins', { 'auth.method': method, 'auth.result': code })
}

/** The place where the metrics of a worker are collected, if its server exports to Prometheus. */
export interface MetricsPlace {
  /** The number of the worker, from 1. */
  worker: number
  /** Receives the function that collects the metrics at present, as data of JSON. */
  offer(collect: () => Promise<unknown>): void
}
