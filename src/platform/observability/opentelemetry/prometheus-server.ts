import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { IMetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { TelemetryStartError } from '../../errors/start-errors.ts'
import { builtIn } from '../../kit/built-in.ts'
import { createSingleFlight } from '../../kit/concurrency.ts'
import { describeFault } from '../describe-fault.ts'
import type { Logger } from '../logger.ts'
import { loadPackage } from './load-package.ts'

interface Place {
  /** Null: all addresses, with a warning if other machines can reach it. */
  host: string | null
  port: number
}

/** The members of Node's `networkInterfaces` that are used. */
export type NetworkInterfaces = Partial<
  Record<string, readonly { family: string; internal: boolean }[]>
>

/** A Prometheus server keeps one connection. */
const mostScrapers = 16

/** The default of the OpenTelemetry specification. */
const everyAddress = '0.0.0.0'

/**
 * Opens a reader that serves the metrics of this process.
 *
 * @throws TelemetryStartError if it cannot listen there.
 */
export async function openPrometheus(
  place: Place,
  logger: Logger,
  interfaces?: () => NetworkInterfaces,
): Promise<IMetricReader> {
  const { PrometheusExporter } = await loadPackage(
    '@opentelemetry/exporter-prometheus',
    'PrometheusSerializer',
  )
  const reader = new PrometheusExporter({ preventServerStart: true })
  const collect = async () => (await reader.collect()).resourceMetrics
  reader.stopServer = await serveMetrics(place, { logger, collect, interfaces })
  return reader
}

interface ServeNeeds {
  logger: Logger
  /** Returns the metrics at present. */
  collect(): Promise<ResourceMetrics>
  interfaces?: (() => NetworkInterfaces) | undefined
}

/**
 * Serves metrics in the text format of Prometheus, on a separate port. Every path returns them,
 * including `/` and the usual `/metrics`.
 *
 * @returns the function that ends it.
 * @throws TelemetryStartError if it cannot listen there.
 */
export async function serveMetrics(
  place: Place,
  { logger, collect, interfaces = networkInterfaces }: ServeNeeds,
): Promise<() => Promise<void>> {
  const { PrometheusSerializer } = await loadPackage(
    '@opentelemetry/exporter-prometheus',
    'PrometheusSerializer',
  )
  // The attributes of the scope are the same everywhere: without them queries are shorter.
  const serializer = new PrometheusSerializer('', false, undefined, false, true)
  const shared = createSingleFlight()
  const answer = async (response: ServerResponse): Promise<void> => {
    const text = await shared('metrics', async () =>
      serializer.serialize(withUnits(await collect())),
    )
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(text)
  }
  const listener = builtIn.http.createServer(
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
  // Other clients could use up the file descriptors of the process.
  listener.maxConnections = mostScrapers
  const host = place.host ?? everyAddress
  await listen(listener, { host, port: place.port })
  const { port } = listener.address() as AddressInfo
  logger.info({ host, port }, 'metrics are served to Prometheus')
  if (place.host === null && isReachable(interfaces())) {
    logger.warn(
      { host, port },
      'other machines can read the metrics, without a password: set OTEL_EXPORTER_PROMETHEUS_HOST (telemetry.prometheus.host) to ' +
        'the address that Prometheus reads, or to 0.0.0.0 to keep it',
    )
  }
  return async () => {
    listener.close()
    listener.closeAllConnections()
  }
}

/** The suffixes of names, by unit. */
const endings: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' }

/**
 * Adds the suffix of the unit to names, as an OTLP collector does for Prometheus: one dashboard
 * fits both.
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

/** Reports whether other machines reach the port on all IPv4 addresses. */
const isReachable = (interfaces: NetworkInterfaces): boolean =>
  Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .some(({ family, internal }) => family === 'IPv4' && !internal)

const listen = (listener: Server, { host, port }: { host: string; port: number }): Promise<void> =>
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
