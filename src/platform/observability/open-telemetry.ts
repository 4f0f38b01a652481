import type { Config } from '../config/config.ts'
import type { Logger } from './logger.ts'
import type { MetricsPlace, Telemetry } from './telemetry.ts'

/**
 * Starts telemetry if it is enabled. Otherwise it loads no package, and returns null.
 *
 * @param place the place where the metrics of a worker are collected.
 */
export async function openTelemetry(
  config: Pick<Config, 'telemetry'>,
  logger: Logger,
  place?: MetricsPlace,
): Promise<Telemetry | null> {
  const { tracing, metrics } = config.telemetry
  if (!tracing.enabled && !metrics.enabled) return null
  const { startTelemetry } = await import('./opentelemetry/start-telemetry.ts')
  return startTelemetry(config, logger, place)
}
