import { boolean, oneOf, orElse } from '../kinds/choices.ts'
import { encodedMap } from '../kinds/maps.ts'
import { fraction, port } from '../kinds/numbers.ts'
import { text } from '../kinds/texts.ts'
import { webUrl } from '../kinds/urls.ts'
import { traceSamplers } from '../sections/telemetry.ts'
import { live } from '../setting.ts'

/** Names of the OpenTelemetry specification are read without a prefix, too. */
const standard = (name: string) => ({ env: name, bare: [name] })

export const telemetrySettings = [
  live('telemetry.tracing.enabled', {
    env: 'TRACING_ENABLED',
    kind: boolean,
    default: false,
    description: 'Creates traces: exported, or passed to the host’s OpenTelemetry.',
  }),
  live('telemetry.tracing.exporter', {
    env: 'TRACING_EXPORTER',
    kind: oneOf(['opentelemetry']),
    default: 'opentelemetry',
    description: 'Exporter of traces.',
  }),
  live('telemetry.tracing.sampler', {
    ...standard('OTEL_TRACES_SAMPLER'),
    kind: orElse(oneOf(traceSamplers), 'parentbased_always_on'),
    default: 'parentbased_always_on',
    description:
      'Choice of exported traces; with `parentbased_`, the caller’s `traceparent` decides.',
  }),
  live('telemetry.tracing.samplerRatio', {
    ...standard('OTEL_TRACES_SAMPLER_ARG'),
    kind: orElse(fraction('ratio'), 1),
    default: 1,
    description: 'Fraction of traces that a ratio sampler exports, from 0 to 1.',
  }),
  live('telemetry.metrics.enabled', {
    env: 'METRICS_ENABLED',
    kind: boolean,
    default: false,
    description: 'Creates metrics: exported, or passed to the host’s OpenTelemetry.',
  }),
  live('telemetry.metrics.exporter', {
    env: 'METRICS_EXPORTER',
    kind: oneOf(['opentelemetry', 'prometheus']),
    default: 'opentelemetry',
    description: 'Exporter of metrics.',
  }),
  live('telemetry.prometheus.host', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_HOST'),
    kind: text,
    default: null,
    defaultText: '`0.0.0.0`, with a warning at start if other machines can reach it',
    description: 'Address at which Prometheus reads metrics.',
  }),
  live('telemetry.prometheus.port', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_PORT'),
    kind: port,
    default: 9100,
    description: 'Port at which Prometheus reads metrics.',
  }),
  live('telemetry.otlp.protocol', {
    ...standard('OTEL_EXPORTER_OTLP_PROTOCOL'),
    kind: oneOf(['http/protobuf', 'http/json', 'grpc']),
    default: 'http/protobuf',
    description: 'Protocol of the collector.',
  }),
  live('telemetry.otlp.endpoint', {
    ...standard('OTEL_EXPORTER_OTLP_ENDPOINT'),
    kind: webUrl,
    default: null,
    defaultText: 'http://localhost:4318; 4317 for gRPC',
    description:
      'URL of the collector; `/v1/traces` and `/v1/metrics` are appended, except with gRPC.',
  }),
  live('telemetry.otlp.tracesEndpoint', {
    ...standard('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    kind: webUrl,
    default: null,
    description: 'URL for traces, used unchanged, in place of the one above.',
  }),
  live('telemetry.otlp.metricsEndpoint', {
    ...standard('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
    kind: webUrl,
    default: null,
    description: 'URL for metrics, used unchanged, in place of the one above.',
  }),
  live('telemetry.otlp.headers', {
    ...standard('OTEL_EXPORTER_OTLP_HEADERS'),
    kind: encodedMap,
    default: {},
    secret: true,
    description:
      'Headers that the collector requires: `name=value,…`, with percent-encoded values.',
  }),
  live('telemetry.serviceName', {
    ...standard('OTEL_SERVICE_NAME'),
    kind: text,
    default: null,
    defaultText: '`latchkey`',
    description: 'Name of this service in traces and metrics.',
  }),
  live('telemetry.resourceAttributes', {
    ...standard('OTEL_RESOURCE_ATTRIBUTES'),
    kind: encodedMap,
    default: {},
    description: 'Attributes of all exported data: `name=value,…`, with percent-encoded values.',
  }),
  live('telemetry.debug', {
    env: 'DEBUG',
    kind: boolean,
    default: false,
    description: 'Logs the exporters’ own diagnostics at `debug`.',
  }),
]
