export type MetricsExporter = 'opentelemetry' | 'prometheus'
export type OtlpProtocol = 'http/protobuf' | 'http/json' | 'grpc'

/**
 * Which traces are exported. With `parentbased_` a request that continues the trace of its caller does as that says.
 *
 * @see OpenTelemetry, "Environment Variable Specification", OTEL_TRACES_SAMPLER
 */
export const traceSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type TraceSampler = (typeof traceSamplers)[number]

/**
 * Traces and metrics. Where the process has a tracer or a meter of OpenTelemetry registered, ours go there; else we
 * export them, by packages that are installed beside.
 */
export interface TelemetryConfig {
  tracing?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        exporter?: 'opentelemetry' | undefined
        /** Default `parentbased_always_on`. */
        sampler?: TraceSampler | undefined
        /** Which share of traces a sampler by ratio takes, from 0 to 1. Default 1. */
        samplerRatio?: number | undefined
      }
    | undefined
  metrics?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        /** Default `opentelemetry`. */
        exporter?: MetricsExporter | undefined
      }
    | undefined
  /** Where metrics are read when `prometheus` exports them. */
  prometheus?:
    | {
        /** Default `0.0.0.0`. */
        host?: string | undefined
        /** Default 9100. */
        port?: number | undefined
      }
    | undefined
  /** The collector. */
  otlp?:
    | {
        /** Default `http/protobuf`. */
        protocol?: OtlpProtocol | undefined
        endpoint?: string | undefined
        /** Where traces alone go, as it is. */
        tracesEndpoint?: string | undefined
        /** Where metrics alone go, as it is. */
        metricsEndpoint?: string | undefined
        headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  /** Default `latchkey`. */
  serviceName?: string | undefined
  /** Attributes of everything that is exported. */
  resourceAttributes?: Readonly<Record<string, string>> | undefined
  /** What exports reports on itself, in the log at `debug`; for the whole process. Default false. */
  debug?: boolean | undefined
}

export interface ResolvedTelemetry {
  tracing: {
    enabled: boolean
    exporter: 'opentelemetry'
    sampler: TraceSampler
    samplerRatio: number
  }
  metrics: { enabled: boolean; exporter: MetricsExporter }
  /** A host of null: every address, with a warning where other machines reach it. */
  prometheus: { host: string | null; port: number }
  otlp: {
    protocol: OtlpProtocol
    endpoint: string | null
    tracesEndpoint: string | null
    metricsEndpoint: string | null
    headers: Readonly<Record<string, string>>
  }
  serviceName: string | null
  resourceAttributes: Readonly<Record<string, string>>
  debug: boolean
}
