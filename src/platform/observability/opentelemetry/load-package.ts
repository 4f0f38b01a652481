import { TelemetryStartError } from '../../errors/start-errors.ts'

/** The optional packages of telemetry. Operators install those that their configuration needs. */
interface Packages {
  '@opentelemetry/api': typeof import('@opentelemetry/api')
  '@opentelemetry/core': typeof import('@opentelemetry/core')
  '@opentelemetry/resources': typeof import('@opentelemetry/resources')
  '@opentelemetry/sdk-trace': typeof import('@opentelemetry/sdk-trace')
  '@opentelemetry/sdk-metrics': typeof import('@opentelemetry/sdk-metrics')
  '@opentelemetry/exporter-trace-otlp-proto': typeof import('@opentelemetry/exporter-trace-otlp-proto')
  '@opentelemetry/exporter-trace-otlp-http': typeof import('@opentelemetry/exporter-trace-otlp-http')
  '@opentelemetry/exporter-trace-otlp-grpc': typeof import('@opentelemetry/exporter-trace-otlp-grpc')
  '@opentelemetry/exporter-metrics-otlp-proto': typeof import('@opentelemetry/exporter-metrics-otlp-proto')
  '@opentelemetry/exporter-metrics-otlp-http': typeof import('@opentelemetry/exporter-metrics-otlp-http')
  '@opentelemetry/exporter-metrics-otlp-grpc': typeof import('@opentelemetry/exporter-metrics-otlp-grpc')
  '@opentelemetry/exporter-prometheus': typeof import('@opentelemetry/exporter-prometheus')
  '@opentelemetry/instrumentation-runtime-node': typeof import('@opentelemetry/instrumentation-runtime-node')
  '@grpc/grpc-js': typeof import('@grpc/grpc-js')
}

/**
 * Loads a package. Its name is not a literal in the import: a host's bundler would resolve each of
 * them, and fail if one is not installed.
 *
 * @throws TelemetryStartError if it is missing or too old.
 */
export async function loadPackage<Name extends keyof Packages>(
  name: Name,
  member: keyof Packages[Name],
): Promise<Packages[Name]> {
  let loaded: Packages[Name]
  try {
    loaded = await import(/* @vite-ignore */ /* webpackIgnore: true */ name as string)
  } catch (cause) {
    throw new TelemetryStartError(
      `Telemetry is enabled and needs the package ${name}: install it, or disable telemetry`,
      { cause },
    )
  }
  if (member in loaded) return loaded
  throw new TelemetryStartError(
    `Telemetry does not support this version of ${name}: update it, or disable telemetry`,
  )
}
