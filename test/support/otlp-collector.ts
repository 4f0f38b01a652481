import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  status as grpcStatus,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js'
// The output of protobufjs for the official definitions, without types.
import root from 'otlp-definitions/build/src/generated/root.js'

interface Decoder<Message> {
  decode(bytes: Uint8Array): Message
  encode(message: Message): { finish(): Uint8Array }
  fromObject(object: object): Message
}

interface TraceMessage {
  resourceSpans: { resource?: Described; scopeSpans: { spans: SpanMessage[] }[] }[]
}

interface MetricsMessage {
  resourceMetrics: { resource?: Described; scopeMetrics: { metrics: MetricMessage[] }[] }[]
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
          trace: { v1: { ExportTraceServiceRequest: Decoder<TraceMessage> } }
          metrics: { v1: { ExportMetricsServiceRequest: Decoder<MetricsMessage> } }
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

/** A collector that receives OTLP and decodes it with the official definitions. */
export interface Collector {
  url: string
  spans: ReceivedSpan[]
  metrics: ReceivedMetric[]
  /** The received bodies. */
  bytes: Buffer[]
  headers: IncomingHttpHeaders[]
  /** Sets the status of the following responses. */
  answerWith(status: number): void
  close(): Promise<void>
}

type Received = Pick<Collector, 'spans' | 'metrics' | 'bytes' | 'headers'>

const nothing = (): Received => ({ spans: [], metrics: [], bytes: [], headers: [] })

type Signal = 'traces' | 'metrics'

const requests = {
  traces: trace.v1.ExportTraceServiceRequest,
  metrics: metrics.v1.ExportMetricsServiceRequest,
}

function take(
  received: Received,
  signal: Signal,
  body: Buffer,
  headers: IncomingHttpHeaders,
): void {
  received.bytes.push(body)
  received.headers.push(headers)
  const bytes = headers['content-type'] === 'application/json' ? fromJson(signal, body) : body
  if (signal === 'traces') received.spans.push(...readSpans(requests.traces.decode(bytes)))
  else received.metrics.push(...readMetrics(requests.metrics.decode(bytes)))
}

/**
 * Converts a JSON message to protobuf. Ids are hexadecimal in OTLP, where JSON of protobuf has
 * base64.
 */
function fromJson(signal: Signal, body: Buffer): Uint8Array {
  const object = JSON.parse(body.toString(), (key, value) =>
    /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(value, 'hex') : value,
  )
  const { fromObject, encode } = requests[signal] as Decoder<object>
  return encode(fromObject(object)).finish()
}

/** Starts a collector over HTTP, in protobuf or JSON. */
export async function startCollector(): Promise<Collector> {
  let status = 200
  const received = nothing()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [, signal] = /^\/v1\/(traces|metrics)$/.exec(request.url ?? '') ?? []
    if (status === 200) take(received, signal as Signal, Buffer.concat(chunks), request.headers)
    response.writeHead(status, { 'content-type': request.headers['content-type'] }).end()
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

type Call = ServerUnaryCall<Buffer, Buffer>

/** Starts a collector over gRPC, without TLS. */
export async function startGrpcCollector(): Promise<Collector> {
  let status = 200
  const received = nothing()
  const server = new Server()
  for (const [signal, service] of [
    ['traces', 'trace.v1.TraceService'],
    ['metrics', 'metrics.v1.MetricsService'],
  ] as const) {
    const asItIs = (bytes: Buffer) => bytes
    const exporting = {
      path: `/opentelemetry.proto.collector.${service}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: asItIs,
      requestDeserialize: asItIs,
      responseSerialize: asItIs,
      responseDeserialize: asItIs,
    }
    server.addService(
      { export: exporting },
      {
        export: ({ request, metadata }: Call, answer: sendUnaryData<Buffer>) => {
          if (status !== 200) return answer({ code: grpcStatus.INVALID_ARGUMENT })
          take(received, signal, request, metadata.getMap() as IncomingHttpHeaders)
          answer(null, Buffer.alloc(0))
        },
      },
    )
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return {
    ...received,
    url: `http://127.0.0.1:${port}`,
    answerWith: (next) => {
      status = next
    },
    close: async () => server.forceShutdown(),
  }
}

const readSpans = ({ resourceSpans }: TraceMessage): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
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

const readMetrics = ({ resourceMetrics }: MetricsMessage): ReceivedMetric[] =>
  resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ name, unit, sum, gauge, histogram }) => ({
        name,
        unit,
        resource: valuesOf(resource),
        points: (sum ?? gauge ?? histogram)?.dataPoints.map(readPoint) ?? [],
      })),
    ),
  )

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
