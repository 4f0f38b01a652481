import { isError } from '../kit/is-error.ts'
import type { CounterName, DurationName, GaugeName } from './instruments.ts'

/** What a span or a figure says of itself. Values come from short lists, and none names a person. */
export type Attributes = Readonly<Record<string, string | number>>

/** Something that takes time, and that a trace shows as a span. */
export interface Step {
  /** One of few: no id is in it. */
  name: string
  kind?: 'server' | 'client'
  attributes?: Attributes
  /** Headers that may name the span of another service which this one belongs to. */
  headers?: { get(name: string): string | null }
  /** Whether it begins a trace of its own, whoever caused it. */
  isRoot?: boolean
  /** Whether it is worth a span only as a part of another one. */
  isPart?: boolean
  /** Whether nothing of ours begins in it. */
  isLeaf?: boolean
}

/** The span of a step that runs. */
export interface Span {
  set(attributes: Attributes): void
  rename(name: string): void
  /** Marks it as failed, though nothing is thrown. */
  fail(errorType: string): void
}

/** Where steps and figures go. There is none where neither traces nor metrics are switched on. */
export interface Telemetry {
  /** Runs a step; what its work throws marks the span and is thrown on. */
  run<T>(step: Step, work: (span: Span) => Promise<T>): Promise<T>
  /** The same object each time costs less than an equal one, here and for `time`. */
  count(name: CounterName, attributes: Attributes): void
  time(name: DurationName, seconds: number, attributes: Attributes): void
  /** Has a figure read whenever metrics are collected, in place of what read it before. */
  observe(name: GaugeName, read: () => Promise<GaugeReading[]> | GaugeReading[]): void
  /** Runs what goes on in the background: it belongs to no request, whoever set it off. */
  detached<T>(work: () => T): T
  /** Headers that name the running span to another service. */
  headers(): Record<string, string>
  /** Hands over what there is so far, for five seconds at most. Never fails. */
  flush(): Promise<void>
  /** Hands over what is left, for five seconds at most. */
  close(): Promise<void>
}

export interface GaugeReading {
  value: number
  attributes?: Attributes
}

/** Seconds since an instant of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000

/**
 * What kind of error it is, in a word that is safe to tell: the code of one that has one, else its name. Its
 * message stays out, since it may quote what somebody sent.
 */
export function errorTypeOf(error: unknown): string {
  if (!isError(error)) return '_OTHER'
  const code = 'code' in error ? String(error.code) : ''
  const word = code || error.name
  return /^\w{1,60}$/.test(word) ? word : '_OTHER'
}

/**
 * Counts what was refused.
 *
 * @param operation `POST /token`, or `api.signInWithPassword`.
 * @param method how somebody would have signed in by it; undefined for what is no sign-in.
 */
export function countRefusal(
  telemetry: Telemetry,
  operation: string,
  code: string,
  method: string | undefined,
): void {
  telemetry.count('auth.refusals', { 'auth.operation': operation, 'auth.error_code': code })
  if (method === undefined) return
  telemetry.count('auth.sign_ins', { 'auth.method': method, 'auth.result': code })
}
