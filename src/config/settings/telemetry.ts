import { boolean, oneOf } from '../kinds/choices.ts'
import { map } from '../kinds/maps.ts'
import { port } from '../kinds/numbers.ts'
import { text } from '../kinds/texts.ts'
import { webUrl } from '../kinds/urls.ts'
import { offersLater } from '../setting.ts'

/** Names of the OpenTelemetry specification, which are read without a prefix as well. */
const standard = (name: string) => ({ env: name, bare: [name] })

export const telemetrySettings = [
  offersLater('telemetry.tracing.enabled', {
    env: 'TRACING_ENABLED',
    kind: boolean,
    default: false,
    description: 'Exports traces.',
  }),
  offersLater('telemetry.tracing.exporter', {
    env: 'TRACING_EXPORTER',
    kind: oneOf(['opentelemetry']),
    default: 'opentelemetry',
    description: 'What traces are exported with.',
  }),
  offersLater('telemetry.metrics.enabled', {
    env: 'METRICS_ENABLED',
    kind: boolean,
    default: false,
    description: 'Exports metrics.',
  }),
  offersLater('telemetry.metrics.exporter', {
    env: 'METRICS_EXPORTER',
    kind: oneOf(['opentelemetry', 'prometheus']),
    default: 'opentelemetry',
    description: 'What metrics are exported with.',
  }),
  offersLater('telemetry.prometheus.host', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_HOST'),
    kind: text,
    default: '0.0.0.0',
    description: 'Address that Prometheus reads metrics from.',
  }),
  offersLater('telemetry.prometheus.port', {
    ...standard('OTEL_EXPORTER_PROMETHEUS_PORT'),
    kind: port,
    default: 9100,
    description: 'Port that Prometheus reads metrics from.',
  }),
  offersLater('telemetry.otlp.protocol', {
    ...standard('OTEL_EXPORTER_OTLP_PROTOCOL'),
    kind: oneOf(['http/protobuf', 'http/json', 'grpc']),
    default: 'http/protobuf',
    description: 'How the collector is spoken to.',
  }),
  offersLater('telemetry.otlp.endpoint', {
    ...standard('OTEL_EXPORTER_OTLP_ENDPOINT'),
    kind: webUrl,
    default: null,
    description: 'URL of the collector.',
  }),
  offersLater('telemetry.otlp.headers', {
    ...standard('OTEL_EXPORTER_OTLP_HEADERS'),
    kind: map('='),
    default: {},
    secret: true,
    description: 'Headers that the collector asks for: `name=value,…`.',
  }),
  offersLater('telemetry.serviceName', {
    ...standard('OTEL_SERVICE_NAME'),
    kind: text,
    default: null,
    description: 'Name of this service in traces and metrics.',
  }),
  offersLater('telemetry.resourceAttributes', {
    ...standard('OTEL_RESOURCE_ATTRIBUTES'),
    kind: map('='),
    default: {},
    description: 'Attributes of everything that is exported: `name=value,…`.',
  }),
  offersLater('telemetry.debug', {
    env: 'DEBUG',
    kind: boolean,
    default: false,
    description: 'Lets the exporters report on themselves.',
  }),
]
