export type MetricsExporter = 'opentelemetry' | 'prometheus'
export type OtlpProtocol = 'http/protobuf' | 'http/json' | 'grpc'

/**
 * The choice of exported traces. With `parentbased_`, the caller's trace context decides.
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
 * Traces and metrics. They use the tracer and meter that the process has registered; otherwise
 * Latchkey exports them, by packages that are installed separately.
 */
export interface TelemetryConfig {
  tracing?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        exporter?: 'opentelemetry' | undefined
        /** Default `parentbased_always_on`. */
        sampler?: TraceSampler | undefined
        /** The fraction of traces that a ratio sampler exports, from 0 to 1. Default 1. */
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
  /** The address at which Prometheus reads metrics. */
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
        /** The URL for traces only, used unchanged. */
        tracesEndpoint?: string | undefined
        /** The URL for metrics only, used unchanged. */
        metricsEndpoint?: string | undefined
        headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  /** Default `latchkey`. */
  serviceName?: string | undefined
  /** Attributes of all exported data. */
  resourceAttributes?: Readonly<Record<string, string>> | undefined
  /** Logs the exporters' own diagnostics at `debug`, for the whole process. Default false. */
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
  /** A host of null: all addresses, with a warning if other machines can reach it. */
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
