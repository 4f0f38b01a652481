export type MetricsExporter = 'opentelemetry' | 'prometheus'
export type OtlpProtocol = 'http/protobuf' | 'http/json' | 'grpc'

/** Traces and metrics. Not built yet: no effect, and a warning at start. */
export interface TelemetryConfig {
  tracing?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        exporter?: 'opentelemetry' | undefined
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
        headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  serviceName?: string | undefined
  /** Attributes of everything that is exported. */
  resourceAttributes?: Readonly<Record<string, string>> | undefined
  /** The exporters report on themselves. Default false. */
  debug?: boolean | undefined
}

export interface ResolvedTelemetry {
  tracing: { enabled: boolean; exporter: 'opentelemetry' }
  metrics: { enabled: boolean; exporter: MetricsExporter }
  prometheus: { host: string; port: number }
  otlp: {
    protocol: OtlpProtocol
    endpoint: string | null
    headers: Readonly<Record<string, string>>
  }
  serviceName: string | null
  resourceAttributes: Readonly<Record<string, string>>
  debug: boolean
}
