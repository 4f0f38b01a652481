import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics'

/** A histogram with fixed boundaries. */
interface Histogram {
  buckets: { boundaries: number[]; counts: number[] }
  sum?: number
  count: number
  min?: number
  max?: number
}

interface PlainPoint {
  attributes: Record<string, unknown>
  startTime: [number, number]
  endTime: [number, number]
  value: number | Histogram
}

/** A metric as data of JSON, with its points. */
export interface PlainMetric {
  scope: { name: string; version: string }
  descriptor: { name: string; unit: string }
  aggregationTemporality: number
  dataPointType: number
  isMonotonic: boolean
  dataPoints: PlainPoint[]
}

/** The sum of metrics of several processes. */
export interface MetricSums {
  add(metrics: readonly PlainMetric[]): void
  /** Adds the metrics of a process that has ended: its counts, without its present values. */
  addEnded(metrics: readonly PlainMetric[]): void
  all(): PlainMetric[]
}

/** @see the enumeration `DataPointType` of the package `@opentelemetry/sdk-metrics` */
const histogram = 0

/** Delays of the event loop: the sum of several processes has no meaning. */
const isDelay = ({ descriptor }: PlainMetric): boolean =>
  descriptor.name.startsWith('nodejs.eventloop.delay.')

/** Whether values increase only, so that they are kept when their process ends. */
const isCount = ({ dataPointType, isMonotonic }: PlainMetric): boolean =>
  dataPointType === histogram || isMonotonic

/**
 * Sums metrics by name and attributes. Of delays of the event loop it keeps the longest.
 */
export function createMetricSums(start: readonly PlainMetric[] = []): MetricSums {
  const sums = new Map<string, { metric: PlainMetric; points: Map<string, PlainPoint> }>()
  const addMetric = (metric: PlainMetric): void => {
    const { name } = metric.descriptor
    const known = sums.get(name) ?? { metric, points: new Map<string, PlainPoint>() }
    sums.set(name, known)
    for (const point of metric.dataPoints) {
      const key = JSON.stringify(Object.entries(point.attributes).sort(byName))
      const present = known.points.get(key)
      known.points.set(key, present ? together(present, point, isDelay(metric)) : point)
    }
  }
  start.forEach(addMetric)
  return {
    add: (metrics) => metrics.forEach(addMetric),
    addEnded: (metrics) => metrics.filter(isCount).forEach(addMetric),
    all: () =>
      [...sums.values()].map(({ metric, points }) => ({
        ...metric,
        dataPoints: [...points.values()],
      })),
  }
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1

function together(one: PlainPoint, other: PlainPoint, isLongest: boolean): PlainPoint {
  const value =
    typeof one.value === 'number' && typeof other.value === 'number'
      ? isLongest
        ? Math.max(one.value, other.value)
        : one.value + other.value
      : sumOfHistograms(one.value as Histogram, other.value as Histogram)
  return { ...other, value }
}

/** Returns the later one where the boundaries differ, as after a change of settings. */
function sumOfHistograms(one: Histogram, other: Histogram): Histogram {
  const { boundaries } = other.buckets
  if (one.buckets.boundaries.join() !== boundaries.join()) return other
  const counts = one.buckets.counts.map((count, at) => count + (other.buckets.counts[at] ?? 0))
  return {
    buckets: { boundaries, counts },
    count: one.count + other.count,
    sum: (one.sum ?? 0) + (other.sum ?? 0),
  }
}

/** Returns metrics in the form of the package, which the serializer of Prometheus reads. */
export function toResourceMetrics(
  resource: ResourceMetrics['resource'],
  metrics: readonly PlainMetric[],
): ResourceMetrics {
  return {
    resource,
    scopeMetrics: metrics.map((metric) => ({
      scope: metric.scope,
      metrics: [metric as unknown as MetricData],
    })),
  }
}
