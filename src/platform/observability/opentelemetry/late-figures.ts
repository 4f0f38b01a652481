import type { Attributes, Meter } from '@opentelemetry/api'
import { inBatches } from './in-batches.ts'
import type { Metrics } from './signals.ts'

type Recorder = (value: number, attributes?: Attributes) => void

interface Figure {
  record: Recorder
  value: number
  attributes: Attributes
}

interface LateFigures {
  meter: Metrics['meter']
  /** Records the waiting measurements. Must be called before collection. */
  drain(): void
}

const none: Attributes = {}

/**
 * Records measurements in batches, if the meter has received the same attributes object since the
 * last collection. Others are recorded at once.
 */
export function lateFigures(meter: Meter): LateFigures {
  const waiting = inBatches<Figure>(({ record, value, attributes }) => record(value, attributes))
  let collections = 0
  const late = (record: Recorder): Recorder => {
    const begun = new WeakMap<Attributes, number>()
    return (value, attributes = none) => {
      if (begun.get(attributes) === collections) {
        waiting.add({ record, value, attributes })
        return
      }
      // A series begins at its first measurement. Recorded at collection, it would have no
      // duration.
      begun.set(attributes, collections)
      record(value, attributes)
    }
  }
  return {
    meter: {
      createCounter: (name, options) => {
        const counter = meter.createCounter(name, options)
        return { add: late((value, attributes) => counter.add(value, attributes)) }
      },
      createHistogram: (name, options) => {
        const histogram = meter.createHistogram(name, options)
        return { record: late((value, attributes) => histogram.record(value, attributes)) }
      },
      createObservableGauge: (name, options) => meter.createObservableGauge(name, options),
    },
    drain: () => {
      waiting.drain()
      collections += 1
    },
  }
}
