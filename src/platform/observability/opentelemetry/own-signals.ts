import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { IMetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { Sampler } from '@opentelemetry/sdk-trace'
import type { ResolvedTelemetry, TraceSampler } from '../../config/sections/telemetry.ts'
import { version } from '../../kit/version.ts'
import type { Logger } from '../logger.ts'
import type { MetricsPlace } from '../telemetry.ts'
import { lateFigures } from './late-figures.ts'
import { lateSpans } from './late-spans.ts'
import { loadPackage } from './load-package.ts'
import { otlpMetricExporter, otlpTraceExporter } from './otlp-exporters.ts'
import { openPrometheus } from './prometheus-server.ts'
import { type Metrics, scopeName, type Traces } from './signals.ts'
import type { PlainMetric } from './sum-metrics.ts'

interface ExportNeeds {
  telemetry: ResolvedTelemetry
  /** The place where the metrics of a worker are collected. */
  place: MetricsPlace | null
  /** The common attributes of spans and metrics. */
  resource: () => Promise<Resource>
  logger: Logger
}

const traceExporters = { opentelemetry: otlpTraceExporter }

/** Exports spans without a global registration: another service in this process has its own. */
export async function ownTraces({ telemetry, resource, logger }: ExportNeeds): Promise<Traces> {
  const { ROOT_CONTEXT } = await loadPackage('@opentelemetry/api', 'ROOT_CONTEXT')
  const { W3CTraceContextPropagator } = await loadPackage(
    '@opentelemetry/core',
    'W3CTraceContextPropagator',
  )
  const { TracerProvider, BatchSpanProcessor } = await loadPackage(
    '@opentelemetry/sdk-trace',
    'TracerProvider',
  )
  const exporter = await traceExporters[telemetry.tracing.exporter](telemetry.otlp, logger)
  const provider = new TracerProvider({
    sampler: await openSampler(telemetry.tracing),
    resource: await resource(),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const store = new AsyncLocalStorage<Context>()
  const late = lateSpans(provider.getTracer(scopeName, version))
  return {
    tracer: late.tracer,
    contexts: {
      active: () => store.getStore() ?? ROOT_CONTEXT,
      with: (active, work) => store.run(active, work),
    },
    propagation: new W3CTraceContextPropagator(),
    isShared: false,
    flush: () => {
      late.drain()
      return provider.forceFlush()
    },
    close: () => {
      late.drain()
      return provider.shutdown()
    },
  }
}

async function openSampler({
  sampler,
  samplerRatio,
}: ResolvedTelemetry['tracing']): Promise<Sampler> {
  const { AlwaysOnSampler, AlwaysOffSampler, ParentBasedSampler, TraceIdRatioBasedSampler } =
    await loadPackage('@opentelemetry/sdk-trace', 'ParentBasedSampler')
  const byRatio = new TraceIdRatioBasedSampler(samplerRatio)
  const samplers: Record<TraceSampler, Sampler> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: byRatio,
    parentbased_always_on: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: new ParentBasedSampler({ root: byRatio }),
  }
  return samplers[sampler]
}

/** Exports metrics, including those of Node: a host with a meter has the latter already. */
export async function ownMetrics({
  telemetry,
  place,
  resource,
  logger,
}: ExportNeeds): Promise<Metrics> {
  const { MeterProvider } = await loadPackage('@opentelemetry/sdk-metrics', 'MeterProvider')
  const { RuntimeNodeInstrumentation } = await loadPackage(
    '@opentelemetry/instrumentation-runtime-node',
    'RuntimeNodeInstrumentation',
  )
  const described = await resource()
  const reader = await openReader(telemetry, place, logger)
  const provider = new MeterProvider({ resource: described, readers: [reader] })
  const late = lateFigures(provider.getMeter(scopeName, version))
  const collect = reader.collect.bind(reader)
  reader.collect = (options) => {
    late.drain()
    return collect(options)
  }
  const runtime = new RuntimeNodeInstrumentation({ enabled: false })
  runtime.setMeterProvider(provider)
  runtime.enable()
  return {
    meter: late.meter,
    flush: () => provider.forceFlush(),
    close: async () => {
      await provider.shutdown()
      runtime.disable()
    },
  }
}

async function openReader(
  telemetry: ResolvedTelemetry,
  place: MetricsPlace | null,
  logger: Logger,
): Promise<IMetricReader> {
  if (telemetry.metrics.exporter === 'prometheus') {
    return place ? offerMetrics(place) : openPrometheus(telemetry.prometheus, logger)
  }
  const { PeriodicExportingMetricReader } = await loadPackage(
    '@opentelemetry/sdk-metrics',
    'PeriodicExportingMetricReader',
  )
  return new PeriodicExportingMetricReader({
    exporter: await otlpMetricExporter(telemetry.otlp, logger),
  })
}

/** Opens a reader whose metrics the primary process collects. */
async function offerMetrics(place: MetricsPlace): Promise<IMetricReader> {
  const { PrometheusExporter } = await loadPackage(
    '@opentelemetry/exporter-prometheus',
    'PrometheusSerializer',
  )
  const reader = new PrometheusExporter({ preventServerStart: true })
  place.offer(async () => plainMetrics((await reader.collect()).resourceMetrics))
  return reader
}

/** Returns the metrics as data of JSON. The resource is that of the primary process. */
const plainMetrics = ({ scopeMetrics }: ResourceMetrics): PlainMetric[] =>
  scopeMetrics.flatMap(({ scope, metrics }) =>
    metrics.map(({ descriptor, aggregationTemporality, dataPointType, dataPoints, ...rest }) => ({
      scope: { name: scope.name, version: scope.version ?? '' },
      descriptor,
      aggregationTemporality,
      dataPointType,
      isMonotonic: 'isMonotonic' in rest && rest.isMonotonic,
      dataPoints: dataPoints.map(({ attributes, startTime, endTime, value }) => ({
        attributes,
        startTime,
        endTime,
        value,
      })),
    })),
  ) as PlainMetric[]
