import { version } from '../../kit/version.ts'
import type { Metrics, Traces } from './signals.ts'
import { scopeName } from './signals.ts'

type Api = typeof import('@opentelemetry/api')

/** Returns the host's tracer, so that spans join its traces; null if none is registered. */
export function hostTraces({ trace, context, propagation }: Api): Traces | null {
  const provider = trace.getTracerProvider()
  // Without a registered provider, the default one has no delegate.
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

/** Returns the host's meter; null if none is registered. */
export function hostMetrics({ metrics, createNoopMeter }: Api): Metrics | null {
  const meter = metrics.getMeterProvider().getMeter(scopeName, version)
  return meter === createNoopMeter()
    ? null
    : { meter, flush: async () => {}, close: async () => {} }
}
