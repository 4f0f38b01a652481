import type { OtlpProtocol, ResolvedTelemetry } from '../../config/sections/telemetry.ts'
import { TelemetryStartError } from '../../errors/start-errors.ts'

/** The suffixes of the exporters' package names, by protocol. */
export const otlpSuffixes = {
  'http/protobuf': 'proto',
  'http/json': 'http',
  grpc: 'grpc',
} as const satisfies Record<OtlpProtocol, string>

/** Returns the packages for exporting traces and metrics. Default: the enabled ones. */
export function requiredPackages(
  { tracing, metrics, otlp }: ResolvedTelemetry,
  exported = { traces: tracing.enabled, metrics: metrics.enabled },
): string[] {
  const suffix = otlpSuffixes[otlp.protocol]
  const exporter =
    metrics.exporter === 'prometheus' ? 'exporter-prometheus' : `exporter-metrics-otlp-${suffix}`
  return [
    ...(exported.traces || exported.metrics ? ['api', 'resources'] : []),
    ...(exported.traces ? ['core', 'sdk-trace', `exporter-trace-otlp-${suffix}`] : []),
    ...(exported.metrics ? ['sdk-metrics', 'instrumentation-runtime-node', exporter] : []),
  ].map((name) => `@opentelemetry/${name}`)
}

/**
 * Requires packages, and reports all missing ones at once.
 *
 * @throws TelemetryStartError with the command that installs them.
 */
export async function requirePackages(names: readonly string[]): Promise<void> {
  const loaded = await Promise.allSettled(
    names.map((name) => import(/* @vite-ignore */ /* webpackIgnore: true */ name)),
  )
  const missing = names.filter((_name, at) => loaded[at]?.status === 'rejected')
  if (missing.length === 0) return
  const { reason: cause } = loaded.find(
    ({ status }) => status === 'rejected',
  ) as PromiseRejectedResult
  throw new TelemetryStartError(
    `Telemetry is enabled and needs packages that are not installed: npm install ${missing.join(' ')}, or disable telemetry`,
    { cause },
  )
}
