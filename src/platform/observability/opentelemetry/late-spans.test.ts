import { ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lateSpans } from './late-spans.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function openSpans() {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const { tracer, drain } = lateSpans(provider.getTracer('test'))
  const exported = () => exporter.getFinishedSpans()
  return { tracer, drain, exported, names: () => exported().map(({ name }) => name) }
}

const millisOf = ([seconds, nanos]: [number, number]) => seconds * 1000 + nanos / 1e6

describe('deferred spans', () => {
  it('are created with their last name, all attributes, and their times', () => {
    const { tracer, drain, exported } = openSpans()
    const before = Date.now()
    const span = tracer.startSpan('POST', { attributes: { method: 'POST' } }, ROOT_CONTEXT)
    span.setAttributes({ route: '/token' }).setAttribute('status', 500).updateName('POST /token')
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    span.end()
    const after = Date.now()
    while (Date.now() < after + 20);

    expect(exported()).toHaveLength(0)
    drain()

    const [made, ...others] = exported()
    expect(others).toEqual([])
    expect(made).toMatchObject({
      name: 'POST /token',
      attributes: { method: 'POST', route: '/token', status: 500 },
      status: { code: SpanStatusCode.ERROR },
    })
    if (!made) return
    expect(millisOf(made.startTime)).toBeGreaterThan(before - 5)
    expect(millisOf(made.endTime)).toBeLessThan(after + 5)
    expect(millisOf(made.endTime)).toBeGreaterThanOrEqual(millisOf(made.startTime))
  })

  it('are children of spans that are still running and receive attributes later', () => {
    const { tracer, drain, exported, names } = openSpans()
    const request = tracer.startSpan('POST', {}, ROOT_CONTEXT)
    const inRequest = trace.setSpan(ROOT_CONTEXT, request)
    tracer.startSpan('statement', {}, inRequest).end()
    drain()
    expect(names()).toEqual(['statement'])

    request.setAttribute('status', 200).updateName('POST /token')
    request.end()
    drain()

    const [statement, made] = exported()
    expect(made).toMatchObject({ name: 'POST /token', attributes: { status: 200 } })
    expect(statement?.parentSpanContext?.spanId).toBe(made?.spanContext().spanId)
    expect(statement?.spanContext().traceId).toBe(made?.spanContext().traceId)
  })

  it('ignore changes after their end', () => {
    const { tracer, drain, exported } = openSpans()
    const span = tracer.startSpan('POST', {}, ROOT_CONTEXT)
    span.end()
    span.updateName('GET').setAttribute('late', 1).setStatus({ code: SpanStatusCode.ERROR })
    drain()

    expect(exported()).toMatchObject([
      { name: 'POST', attributes: {}, status: { code: SpanStatusCode.UNSET } },
    ])
  })

  it('have the duration of the monotonic clock, whatever the time of day', () => {
    const { tracer, drain, exported } = openSpans()
    const span = tracer.startSpan('POST', {}, ROOT_CONTEXT)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
    span.end()
    drain()
    now.mockRestore()

    expect(millisOf(exported()[0]?.duration ?? [9, 0])).toBeLessThan(1000)
  })

  it('are created even if an earlier one fails', () => {
    const made: string[] = []
    const { tracer, drain } = lateSpans({
      startSpan: (name: string) => {
        if (name === 'bad') throw new Error('no')
        made.push(name)
        return trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 })
      },
    } as unknown as Tracer)
    for (const name of ['bad', 'good']) tracer.startSpan(name, {}, ROOT_CONTEXT).end()
    drain()

    expect(made).toEqual(['good'])
  })

  it('ignore changes after their end', () => {
    const { tracer, drain, exported } = openSpans()
    const span = tracer.startSpan('hook', {}, ROOT_CONTEXT)
    span.end()
    span.addEvent('late')
    span.recordException(new Error('late'))
    span.setAttribute('late', true)
    drain()

    expect(exported()[0]).toMatchObject({ events: [], attributes: {} })
  })

  it('have their ids before they end', () => {
    const { tracer, drain, exported } = openSpans()
    const span = tracer.startSpan('hook', {}, ROOT_CONTEXT)
    const { traceId, spanId } = span.spanContext()
    span.end()
    drain()

    expect(exported()[0]?.spanContext()).toMatchObject({ traceId, spanId })
  })

  it('are created when there are many, and after a second', () => {
    const { tracer, names } = openSpans()
    for (let each = 0; each < 130; each += 1) tracer.startSpan(`${each}`, {}, ROOT_CONTEXT).end()
    expect(names()).toHaveLength(128)

    vi.advanceTimersByTime(1000)
    expect(names()).toHaveLength(130)
  })
})
