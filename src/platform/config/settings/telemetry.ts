import { boolean, oneOf, orElse } from '../parsers/choices.ts'
import { encodedMap } from '../parsers/maps.ts'
import { fraction, port } from '../parsers/numbers.ts'
import { text } from '../parsers/texts.ts'
import { webUrl } from '../parsers/urls.ts'
import { traceSamplers } from '../sections/telemetry.ts'
import { live } from '../setting.ts'

/** Names of the OpenTelemetry specification are read without a prefix, too. */
const standard = (name: string) => ({ env: name, bare: [name] })

export const telemetrySettings = [
  live('telemetry.tracing.enabled', {
    env: 'TRACING_ENABLED',
    parser: boolean,
    default: false,
    description: 'Creates traces: exported, or passed to the host’s OpenTelemetry.',
  }),
  live('telemetry.tracing.exporter', {
    env: 'TRACING_EXPORTER',
    parser: oneOf(['opentelemetry']),
    default: 'opentelemetry',
    description: 'Exporter of traces.',
  }),
  live('telemetry.tracing.sampler', {
    ...standard('OTEL_TRACES_SAMPLER'),
    parser: orElse(oneOf(traceSamplers), 'parentbased_always_on'),
    default: 'parentbased_always_on',
    description:
      'Choice of exported traces; with `parentbased_`, the caller’s `traceparent` decides.',
  }),
  live('telemetry.tracing.samplerRatio', {
    ...standard('OTEL_TRACES_SAMPLER_ARG'),
    parser: orElse(fraction('ratio'), 1),
    default: 1,
    description: 'Fraction of traces that a ratio sampler exports, from 0 to 1.',
  }),
  live('telemetry.metrics.enabled', {
    env: 'METRICS_ENABLED',
    parser: boolean,
    default: false,
    description: 'Creates metrics: exported, or passed to the host’s OpenTelemetry.',
  }),
  live('telemetry.metrics.exporter', {
    env: 'METRICS_EXPORTER',
    parser: oneOf(['opentelemetry', 'prometheus']),
    default: 'opentelemetry',
    description: 'Exporter of metrics.',
  }),
  live('telemetry.prometheus.host', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_HOST'),
    parser: text,
    default: null,
    defaultText: '`0.0.0.0`, with a warning at start if other machines can reach it',
    description: 'Address at which Prometheus reads metrics.',
  }),
  live('telemetry.prometheus.port', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_PORT'),
    parser: port,
    default: 9100,
    description: 'Port at which Prometheus reads metrics.',
  }),
  live('telemetry.otlp.protocol', {
    ...standard('OTEL_EXPORTER_OTLP_PROTOCOL'),
    parser: oneOf(['http/protobuf', 'http/json', 'grpc']),
    default: 'http/protobuf',
    description: 'Protocol of the collector.',
  }),
  live('telemetry.otlp.endpoint', {
    ...standard('OTEL_EXPORTER_OTLP_ENDPOINT'),
    parser: webUrl,
    default: null,
    defaultText: 'http://localhost:4318; 4317 for gRPC',
    description:
      'URL of the collector; `/v1/traces` and `/v1/metrics` are appended, except with gRPC.',
  }),
  live('telemetry.otlp.tracesEndpoint', {
    ...standard('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    parser: webUrl,
    default: null,
    description: 'URL for traces, used unchanged, in place of the one above.',
  }),
  live('telemetry.otlp.metricsEndpoint', {
    ...standard('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
    parser: webUrl,
    default: null,
    description: 'URL for metrics, used unchanged, in place of the one above.',
  }),
  live('telemetry.otlp.headers', {
    ...standard('OTEL_EXPORTER_OTLP_HEADERS'),
    parser: encodedMap,
    default: {},
    secret: true,
    description:
      'Headers that the collector requires: `name=value,…`, with percent-encoded values.',
  }),
  live('telemetry.serviceName', {
    ...standard('OTEL_SERVICE_NAME'),
    parser: text,
    default: null,
    defaultText: '`latchkey`',
    description: 'Name of this service in traces and metrics.',
  }),
  live('telemetry.resourceAttributes', {
    ...standard('OTEL_RESOURCE_ATTRIBUTES'),
    parser: encodedMap,
    default: {},
    description: 'Attributes of all exported data: `name=value,…`, with percent-encoded values.',
  }),
  live('telemetry.debug', {
    env: 'DEBUG',
    parser: boolean,
    default: false,
    description: 'Logs the exporters’ own diagnostics at `debug`.',
  }),
]
