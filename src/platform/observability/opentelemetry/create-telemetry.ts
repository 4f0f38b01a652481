import type { Span as OpenSpan, SpanKind, TextMapGetter, TextMapSetter } from '@opentelemetry/api'
import { AuthError } from '../../errors/auth-error.ts'
import { withinTime } from '../../kit/within-time.ts'
import { boundaries, counters, durations, type GaugeName, gauges } from '../instruments.ts'
import {
  errorTypeOf,
  type GaugeReading,
  type Span,
  type Step,
  type Telemetry,
} from '../telemetry.ts'
import type { Metrics, Traces } from './signals.ts'

type Api = typeof import('@opentelemetry/api')

/** The time limit for exporting the rest. */
const closingMs = 5000

/** The telemetry of one service. */
export function createTelemetry(
  api: Api,
  traces: Traces | null,
  metrics: Metrics | null,
): Telemetry {
  const ofBoth = async (end: (signals: Traces | Metrics) => Promise<void>): Promise<void> => {
    const ending = [traces, metrics].map((signals) =>
      withinTime(Promise.resolve(signals && end(signals)), closingMs, () => new Error('late')),
    )
    await Promise.allSettled(ending)
  }
  return {
    ...(traces ? tracing(api, traces) : withoutTraces),
    ...(metrics ? measuring(metrics) : withoutMetrics),
    flush: () => ofBoth((signals) => signals.flush()),
    close: () => ofBoth((signals) => signals.close()),
  }
}

const headersGetter: TextMapGetter<NonNullable<Step['headers']>> = {
  get: (from, name) => from.get(name) ?? undefined,
  keys: () => [],
}

const headersSetter: TextMapSetter<Record<string, string>> = {
  set: (into, name, value) => {
    into[name] = value
  },
}

type Tracing = Pick<Telemetry, 'run' | 'detached' | 'headers'>
type Measuring = Pick<Telemetry, 'count' | 'time' | 'observe'>

const noSpan: Span = { set: () => {}, rename: () => {}, fail: () => {} }

const withoutTraces: Tracing = {
  run: (_step, work) => work(noSpan),
  detached: (work) => work(),
  headers: () => ({}),
}

const withoutMetrics: Measuring = { count: () => {}, time: () => {}, observe: () => {} }

function tracing(
  { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode }: Api,
  { tracer, contexts, propagation, isShared }: Traces,
): Tracing {
  const kinds: Record<NonNullable<Step['kind']>, SpanKind> = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
  }
  const fail = (span: OpenSpan, errorType: string): void => {
    span.setAttribute('error.type', errorType)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  const handleOf = (span: OpenSpan): Span => ({
    set: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    fail: (errorType) => fail(span, errorType),
  })
  const parentOf = ({ isRoot, headers }: Step) => {
    if (isRoot) return ROOT_CONTEXT
    const active = contexts.active()
    if (!headers || trace.getSpan(active)) return active
    return propagation.extract(active, headers, headersGetter)
  }

  return {
    run: async (step, work) => {
      const parent = parentOf(step)
      if (step.isPart && !trace.getSpan(parent)) return work(noSpan)
      const kind = step.kind ? kinds[step.kind] : SpanKind.INTERNAL
      const options = step.attributes ? { kind, attributes: step.attributes } : { kind }
      const span = tracer.startSpan(step.name, options, parent)
      try {
        // Making a span the active one costs about as much as the span of a statement.
        if (step.isLeaf && !isShared) return await work(handleOf(span))
        return await contexts.with(trace.setSpan(parent, span), () => work(handleOf(span)))
      } catch (error) {
        // A rejection is not a failure of the service.
        if (error instanceof AuthError && error.status < 500) {
          span.setAttribute('auth.error_code', error.code)
        } else {
          fail(span, errorTypeOf(error))
        }
        throw error
      } finally {
        span.end()
      }
    },
    detached: (work) => contexts.with(ROOT_CONTEXT, work),
    headers: () => {
      const headers: Record<string, string> = {}
      propagation.inject(contexts.active(), headers, headersSetter)
      return headers
    },
  }
}

function measuring({ meter }: Metrics): Measuring {
  const made = <Name extends string, Made>(
    list: Record<Name, unknown>,
    make: (name: Name) => Made,
  ) =>
    Object.fromEntries((Object.keys(list) as Name[]).map((name) => [name, make(name)])) as Record<
      Name,
      Made
    >
  const counting = made(counters, (name) =>
    meter.createCounter(name, { description: counters[name] }),
  )
  const timing = made(durations, (name) =>
    meter.createHistogram(name, {
      description: durations[name],
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries[name] },
    }),
  )
  const reading = new Map<GaugeName, () => Promise<GaugeReading[]> | GaugeReading[]>()
  return {
    count: (name, attributes) => counting[name].add(1, attributes),
    time: (name, seconds, attributes) => timing[name].record(seconds, attributes),
    observe: (name, read) => {
      const isKnown = reading.has(name)
      reading.set(name, read)
      if (isKnown) return
      meter.createObservableGauge(name, gauges[name]).addCallback(async (result) => {
        const readings = (await reading.get(name)?.()) ?? []
        for (const { value, attributes } of readings) result.observe(value, attributes)
      })
    },
  }
}
