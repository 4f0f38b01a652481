import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { ResolvedTelemetry } from '../../config/sections/telemetry.ts'
import { describeFault } from '../describe-fault.ts'
import type { Logger } from '../logger.ts'
import { loadPackage } from './load-package.ts'
import { otlpSuffixes } from './required-packages.ts'

type Otlp = ResolvedTelemetry['otlp']

/**
 * Returns an exporter that sends spans to the collector. It reads missing settings from the
 * standard variables.
 */
export async function otlpTraceExporter(otlp: Otlp, logger: Logger): Promise<SpanExporter> {
  const name = `@opentelemetry/exporter-trace-otlp-${otlpSuffixes[otlp.protocol]}` as const
  const { OTLPTraceExporter } = await loadPackage(name, 'OTLPTraceExporter')
  const exporter = new OTLPTraceExporter(await optionsOf(otlp, otlp.tracesEndpoint, '/v1/traces'))
  return noting(exporter, 'traces', logger)
}

/** Returns an exporter that sends metrics to the collector. */
export async function otlpMetricExporter(otlp: Otlp, logger: Logger): Promise<PushMetricExporter> {
  const name = `@opentelemetry/exporter-metrics-otlp-${otlpSuffixes[otlp.protocol]}` as const
  const { OTLPMetricExporter } = await loadPackage(name, 'OTLPMetricExporter')
  const exporter = new OTLPMetricExporter(
    await optionsOf(otlp, otlp.metricsEndpoint, '/v1/metrics'),
  )
  return noting(exporter, 'metrics', logger)
}

/**
 * Returns the exporter's options. A URL for one signal is used unchanged. @see OpenTelemetry, "OTLP
 * Exporter Configuration"
 */
async function optionsOf({ protocol, endpoint, headers }: Otlp, own: string | null, path: string) {
  const isGrpc = protocol === 'grpc'
  const base = endpoint && (isGrpc ? endpoint : `${endpoint}${path}`)
  const url = own ?? base
  return {
    ...(url !== null && { url }),
    ...(Object.keys(headers).length > 0 &&
      (isGrpc ? { metadata: await metadataOf(headers) } : { headers: { ...headers } })),
  }
}

async function metadataOf(headers: Otlp['headers']) {
  const { Metadata } = await loadPackage('@grpc/grpc-js', 'Metadata')
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

interface Result {
  /** 0 for success. */
  code: number
  error?: Error
}

/**
 * Logs the first failure of an exporter, and its recovery: the exporters themselves log neither.
 */
function noting<
  Items,
  Exporter extends { export(items: Items, done: (result: Result) => void): void },
>(exporter: Exporter, what: 'traces' | 'metrics', logger: Logger): Exporter {
  const send = exporter.export.bind(exporter)
  let isFailing = false
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0 && !isFailing) {
        logger.warn({ fault: describeFault(result.error) }, `${what} are not exported`)
      }
      if (result.code === 0 && isFailing) logger.info({}, `${what} are exported again`)
      isFailing = result.code !== 0
      done(result)
    })
  return exporter
}
