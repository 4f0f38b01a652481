import type { Context, ContextAPI, Meter, TextMapPropagator, Tracer } from '@opentelemetry/api'

/** The tracer, and access to the active span. */
export interface Traces {
  tracer: Pick<Tracer, 'startSpan'>
  contexts: Pick<ContextAPI, 'active'> & { with<T>(context: Context, work: () => T): T }
  propagation: Pick<TextMapPropagator, 'extract' | 'inject'>
  /** Whether other instrumentation may begin spans inside a step. */
  isShared: boolean
  /** Exports the data so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The meter. */
export interface Metrics {
  meter: Pick<Meter, 'createCounter' | 'createHistogram' | 'createObservableGauge'>
  /** Exports the data so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The instrumentation scope of all exported data. */
export const scopeName = 'latchkey'
