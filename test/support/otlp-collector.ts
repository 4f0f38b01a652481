import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
// What protobufjs made of the official definitions; it says nothing of their types.
import root from 'otlp-definitions/build/src/generated/root.js'

interface Decoder<Message> {
  decode(bytes: Buffer): Message
}

interface AnyValue {
  stringValue?: string | null
  intValue?: unknown
  doubleValue?: number | null
}

interface Described {
  attributes?: { key: string; value?: AnyValue }[]
}

interface Point extends Described {
  asDouble?: number | null
  asInt?: unknown
  count?: unknown
}

interface Points {
  dataPoints: Point[]
}

interface SpanMessage extends Described {
  name: string
  traceId: Uint8Array
  spanId: Uint8Array
  parentSpanId?: Uint8Array | null
  kind: number
  status?: { code?: number } | null
}

interface MetricMessage {
  name: string
  unit: string
  sum?: Points | null
  gauge?: Points | null
  histogram?: Points | null
}

const { trace, metrics } = (
  root as unknown as {
    opentelemetry: {
      proto: {
        collector: {
          trace: {
            v1: {
              ExportTraceServiceRequest: Decoder<{
                resourceSpans: { resource?: Described; scopeSpans: { spans: SpanMessage[] }[] }[]
              }>
            }
          }
          metrics: {
            v1: {
              ExportMetricsServiceRequest: Decoder<{
                resourceMetrics: {
                  resource?: Described
                  scopeMetrics: { metrics: MetricMessage[] }[]
                }[]
              }>
            }
          }
        }
      }
    }
  }
).opentelemetry.proto.collector

type Values = Record<string, string | number>

export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  kind: number
  /** 2 for an error. */
  status: number
  attributes: Values
  resource: Values
}

export interface ReceivedMetric {
  name: string
  unit: string
  points: { value: number; attributes: Values }[]
  resource: Values
}

/** A collector: takes OTLP over HTTP and decodes it. */
export interface Collector {
  url: string
  spans: ReceivedSpan[]
  metrics: ReceivedMetric[]
  /** Everything that came, as it came. */
  bytes: Buffer[]
  headers: IncomingHttpHeaders[]
  /** What requests are answered from now on. */
  answerWith(status: number): void
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  let status = 200
  const received: Omit<Collector, 'url' | 'answerWith' | 'close'> = {
    spans: [],
    metrics: [],
    bytes: [],
    headers: [],
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (status === 200) {
      received.bytes.push(body)
      received.headers.push(request.headers)
      if (request.url === '/v1/traces') received.spans.push(...readSpans(body))
      if (request.url === '/v1/metrics') received.metrics.push(...readMetrics(body))
    }
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (next) => {
      status = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function readSpans(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = trace.v1.ExportTraceServiceRequest.decode(body)
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        kind: span.kind,
        status: span.status?.code ?? 0,
        attributes: valuesOf(span),
        resource: valuesOf(resource),
      })),
    ),
  )
}

function readMetrics(body: Buffer): ReceivedMetric[] {
  const { resourceMetrics } = metrics.v1.ExportMetricsServiceRequest.decode(body)
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ name, unit, sum, gauge, histogram }) => ({
        name,
        unit,
        resource: valuesOf(resource),
        points: (sum ?? gauge ?? histogram)?.dataPoints.map(readPoint) ?? [],
      })),
    ),
  )
}

const readPoint = (point: Point) => ({
  value: Number(point.count) || Number(point.asDouble) || Number(point.asInt) || 0,
  attributes: valuesOf(point),
})

const valuesOf = (described: Described | undefined): Values =>
  Object.fromEntries(
    (described?.attributes ?? []).map(({ key, value }) => [
      key,
      value?.stringValue || Number(value?.intValue) || Number(value?.doubleValue),
    ]),
  )

const hex = (bytes: Uint8Array | null | undefined): string =>
  Buffer.from(bytes ?? []).toString('hex')
