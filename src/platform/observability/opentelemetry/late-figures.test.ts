import type { Meter } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { lateFigures } from './late-figures.ts'

function openFigures() {
  const heard: unknown[] = []
  const { meter, drain } = lateFigures({
    createCounter: () => ({ add: (...given: unknown[]) => heard.push(given) }),
    createHistogram: () => ({ record: (...given: unknown[]) => heard.push(given) }),
  } as unknown as Meter)
  return { heard, drain, counter: meter.createCounter('c'), histogram: meter.createHistogram('h') }
}

describe('deferred measurements', () => {
  const ok = { result: 'ok' }
  const failed = { result: 'failed' }

  it('begin each series at once, and record the rest before collection', () => {
    const { heard, drain, counter, histogram } = openFigures()
    counter.add(1, ok)
    histogram.record(0.5, ok)
    counter.add(2, ok)
    counter.add(3, failed)
    const begun = [
      [1, ok],
      [0.5, ok],
      [3, failed],
    ]
    expect(heard).toEqual(begun)

    drain()
    expect(heard).toEqual([...begun, [2, ok]])
  })

  it('begin each series again after it was collected', () => {
    const { heard, drain, counter } = openFigures()
    counter.add(1)
    drain()
    counter.add(2)

    expect(heard).toEqual([
      [1, {}],
      [2, {}],
    ])
  })

  it('are recorded at once if the beginning of the series is unknown', () => {
    const { heard, counter } = openFigures()
    counter.add(1, { ...ok })
    counter.add(2, { ...ok })

    expect(heard).toEqual([
      [1, ok],
      [2, ok],
    ])
  })
})
