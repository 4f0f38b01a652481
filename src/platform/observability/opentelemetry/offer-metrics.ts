import type { IMetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { MetricsPlace } from '../metrics-place.ts'
import { loadPackage } from './load-package.ts'
import type { PlainMetric } from './sum-metrics.ts'

/** Opens a reader whose metrics the primary process collects. */
export async function offerMetrics(place: MetricsPlace): Promise<IMetricReader> {
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
