import { version } from '../../kit/version.ts'
import type { Metrics, Traces } from './signals.ts'
import { scopeName } from './signals.ts'

type Api = typeof import('@opentelemetry/api')

/** The tracer of a host that has one, to whose spans ours belong; null where nothing is registered. */
export function hostTraces({ trace, context, propagation }: Api): Traces | null {
  const provider = trace.getTracerProvider()
  // What stands there before anybody registers a provider hands out no tracer of one.
  const isVacant =
    'getDelegateTracer' in provider &&
    (provider as { getDelegateTracer(name: string): unknown }).getDelegateTracer(scopeName) ===
      undefined
  if (isVacant) return null
  return {
    tracer: trace.getTracer(scopeName, version),
    contexts: {
      active: () => context.active(),
      with: (active, work) => context.with(active, work),
    },
    propagation,
    isShared: true,
    flush: async () => {},
    close: async () => {},
  }
}

/** The meter of a host that has one. */
export function hostMetrics({ metrics, createNoopMeter }: Api): Metrics | null {
  const meter = metrics.getMeterProvider().getMeter(scopeName, version)
  return meter === createNoopMeter()
    ? null
    : { meter, flush: async () => {}, close: async () => {} }
}
