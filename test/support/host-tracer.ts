import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** A host with its own OpenTelemetry, registered for the whole process as hosts do. */
export interface HostTracer {
  /** Runs work in a span of the host. */
  inSpan<T>(name: string, work: () => Promise<T>): Promise<T>
  spans(): ReadableSpan[]
  /** Returns the names of the metrics that the host collects. */
  metricNames(): Promise<string[]>
  remove(): Promise<void>
}

export function registerHostTracer(): HostTracer {
  const spans = new InMemorySpanExporter()
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  })
  const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: figures,
    exportIntervalMillis: 3_600_000,
  })
  const meters = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(provider)
  metrics.setGlobalMeterProvider(meters)
  context.setGlobalContextManager(contextManager())
  return {
    inSpan: (name, work) =>
      trace.getTracer('host').startActiveSpan(name, (span) => work().finally(() => span.end())),
    spans: () => spans.getFinishedSpans(),
    metricNames: async () => {
      await meters.forceFlush()
      return figures
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name))
    },
    remove: async () => {
      trace.disable()
      metrics.disable()
      context.disable()
      await meters.shutdown()
    },
  }
}

function contextManager(): Parameters<typeof context.setGlobalContextManager>[0] {
  const store = new AsyncLocalStorage<Context>()
  const manager: Parameters<typeof context.setGlobalContextManager>[0] = {
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => store.run(active, () => work.apply(self as never, args)),
    bind: (active, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]) => store.run(active, () => target(...args))) as typeof target)
        : target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}
