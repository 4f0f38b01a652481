import { describe, expect, it } from 'vitest'
import { createMetricSums, type PlainMetric } from './sum-metrics.ts'

const metric = (
  name: string,
  dataPointType: number,
  points: [value: PlainMetric['dataPoints'][number]['value'], attributes?: object][],
  isMonotonic = dataPointType === 3,
): PlainMetric => ({
  scope: { name: 'latchkey', version: '1' },
  descriptor: { name, unit: '' },
  aggregationTemporality: 1,
  dataPointType,
  isMonotonic,
  dataPoints: points.map(([value, attributes = {}]) => ({
    attributes: { ...attributes },
    startTime: [1, 0],
    endTime: [2, 0],
    value,
  })),
})

const histogram = (counts: number[], sum: number, boundaries = [1, 2]) => ({
  buckets: { boundaries, counts },
  count: counts.reduce((all, one) => all + one),
  sum,
  min: 0,
  max: 9,
})

const valuesOf = (metrics: PlainMetric[]) =>
  metrics.flatMap(({ dataPoints }) =>
    dataPoints.map(({ value, attributes }) => [attributes, value]),
  )

describe('sums of metrics', () => {
  it('add values with equal attributes, in any order', () => {
    const sums = createMetricSums()
    sums.add([metric('a', 3, [[2, { x: 1, y: 2 }]])])
    sums.add([
      metric('a', 3, [
        [3, { y: 2, x: 1 }],
        [5, { x: 9 }],
      ]),
    ])

    expect(valuesOf(sums.all())).toEqual([
      [{ y: 2, x: 1 }, 5],
      [{ x: 9 }, 5],
    ])
  })

  it('add histograms by bucket, unless the boundaries have changed', () => {
    const sums = createMetricSums()
    sums.add([metric('h', 0, [[histogram([1, 0, 2], 5)]])])
    sums.add([metric('h', 0, [[histogram([1, 1, 1], 4)]])])
    const [[, value] = []] = valuesOf(sums.all())
    sums.add([metric('h', 0, [[histogram([7], 7, [])]])])

    expect(value).toEqual({ buckets: { boundaries: [1, 2], counts: [2, 1, 3] }, count: 6, sum: 9 })
    expect(valuesOf(sums.all())[0]?.[1]).toMatchObject({ count: 7 })
  })

  it('keep counts of an ended process, and not its present values', () => {
    const sums = createMetricSums()
    sums.addEnded([
      metric('counted', 3, [[4]]),
      metric('present', 2, [[4]]),
      metric('timed', 0, [[histogram([1, 0, 0], 1)]]),
    ])

    expect(sums.all().map(({ descriptor }) => descriptor.name)).toEqual(['counted', 'timed'])
  })

  it('are the longest of delays', () => {
    const sums = createMetricSums()
    sums.add([metric('nodejs.eventloop.delay.p99', 2, [[4]])])
    sums.add([metric('nodejs.eventloop.delay.p99', 2, [[3]])])

    expect(valuesOf(sums.all())).toEqual([[{}, 4]])
  })
})
