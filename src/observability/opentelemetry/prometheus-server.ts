import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IMetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { TelemetryStartError } from '../../errors/start-errors.ts'
import { describeFault } from '../describe-fault.ts'
import type { Logger } from '../logger.ts'
import { loadPackage } from './load-package.ts'

interface Place {
  host: string
  port: number
}

/**
 * Serves figures in the text format of Prometheus, on a port of their own. Every path answers them, so that `/` and
 * the usual `/metrics` do.
 *
 * @throws TelemetryStartError where it cannot listen there.
 */
export async function openPrometheus(place: Place, logger: Logger): Promise<IMetricReader> {
  const { PrometheusExporter, PrometheusSerializer } = await loadPackage(
    '@opentelemetry/exporter-prometheus',
    'PrometheusSerializer',
  )
  const reader = new PrometheusExporter({ preventServerStart: true })
  // What names the scope is the same everywhere: without it queries are short.
  const serializer = new PrometheusSerializer('', false, undefined, false, true)
  const answer = async (response: ServerResponse): Promise<void> => {
    const { resourceMetrics } = await reader.collect()
    const text = serializer.serialize(withUnits(resourceMetrics))
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(text)
  }
  const listener = createServer(
    { headersTimeout: 2000, requestTimeout: 5000, connectionsCheckingInterval: 1000 },
    ({ method }, response) => {
      if (method !== 'GET' && method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end()
        return
      }
      answer(response).catch((error) => {
        logger.warn({ fault: describeFault(error) }, 'metrics were not collected')
        response.writeHead(500).end()
      })
    },
  )
  await listen(listener, place)
  const { port } = listener.address() as AddressInfo
  logger.info({ host: place.host, port }, 'metrics are served to Prometheus')
  reader.stopServer = async () => {
    listener.close()
    listener.closeAllConnections()
  }
  return reader
}

/** What names end in, by unit. */
const endings: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' }

/**
 * The same figures under names that end in their unit, as whoever takes them by OTLP and hands them to Prometheus
 * calls them: one dashboard fits both.
 *
 * @see OpenTelemetry, "Prometheus and OpenMetrics compatibility"
 */
const withUnits = (all: ResourceMetrics): ResourceMetrics => ({
  ...all,
  scopeMetrics: all.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const { name, unit } = metric.descriptor
      const ending = endings[unit]
      if (ending === undefined) return metric
      return { ...metric, descriptor: { ...metric.descriptor, name: `${name}_${ending}` } }
    }),
  })),
})

const listen = (listener: Server, { host, port }: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    listener.once('error', (cause) =>
      reject(
        new TelemetryStartError(`Metrics cannot be served on ${host}:${port}: ${cause.message}`, {
          cause,
        }),
      ),
    )
    listener.listen({ host, port }, () => resolve())
    listener.unref()
  })
