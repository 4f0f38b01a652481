import type { ResolvedTelemetry } from '../../config/sections/telemetry.ts'
import type { Logger } from '../logger.ts'
import { serveMetrics } from './prometheus-server.ts'
import { requiredPackages, requirePackages } from './required-packages.ts'
import { describeService } from './start-telemetry.ts'
import { type PlainMetric, toResourceMetrics } from './sum-metrics.ts'

/**
 * Serves the sums of the metrics of several processes to Prometheus, on one port.
 *
 * @returns the function that ends it.
 * @throws TelemetryStartError if a package is missing, or if it cannot listen there.
 */
export async function serveSummedMetrics(
  telemetry: ResolvedTelemetry,
  { logger, collect }: { logger: Logger; collect: () => Promise<PlainMetric[]> },
): Promise<() => Promise<void>> {
  await requirePackages(requiredPackages(telemetry, { traces: false, metrics: true }))
  const resource = await describeService(telemetry)
  return serveMetrics(telemetry.prometheus, {
    logger,
    collect: async () => toResourceMetrics(resource, await collect()),
  })
}
