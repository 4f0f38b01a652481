import type { Context, ContextAPI, Meter, TextMapPropagator, Tracer } from '@opentelemetry/api'

/** Where spans go, and how one finds the span that it is a part of. */
export interface Traces {
  tracer: Pick<Tracer, 'startSpan'>
  contexts: Pick<ContextAPI, 'active'> & { with<T>(context: Context, work: () => T): T }
  propagation: Pick<TextMapPropagator, 'extract' | 'inject'>
  /** Whether instrumentation that is not ours may begin spans in a step of ours. */
  isShared: boolean
  /** Exports what there is so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Where figures go. */
export interface Metrics {
  meter: Pick<Meter, 'createCounter' | 'createHistogram' | 'createObservableGauge'>
  /** Exports what there is so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Under which name all of it is exported. */
export const scopeName = 'latchkey'
