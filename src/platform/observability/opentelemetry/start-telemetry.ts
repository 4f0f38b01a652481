import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Resource } from '@opentelemetry/resources'
import type { Config } from '../../config/config.ts'
import type { ResolvedTelemetry } from '../../config/sections/telemetry.ts'
import { version } from '../../kit/version.ts'
import type { Logger } from '../logger.ts'
import type { MetricsPlace, Telemetry } from '../telemetry.ts'
import { createTelemetry } from './create-telemetry.ts'
import { loadPackage } from './load-package.ts'
import { ownMetrics, ownTraces } from './own-signals.ts'
import { requiredPackages, requirePackages } from './required-packages.ts'
import { type Metrics, scopeName, type Traces } from './signals.ts'

/**
 * Starts the enabled signals: with the host's tracer and meter if it registered them, else with
 * Latchkey's own exporters.
 *
 * @throws TelemetryStartError if one is unavailable, so that missing traces do not go unnoticed.
 */
export async function startTelemetry(
  { telemetry }: Pick<Config, 'telemetry'>,
  logger: Logger,
  place: MetricsPlace | null = null,
): Promise<Telemetry> {
  const api = await loadApi(telemetry)
  if (telemetry.debug) reportTo(logger, api)
  const ofHost = {
    traces: telemetry.tracing.enabled ? hostTraces(api) : null,
    metrics: telemetry.metrics.enabled ? hostMetrics(api) : null,
  }
  if (ofHost.traces || ofHost.metrics) {
    const words =
      'the process has its own OpenTelemetry, which receives them: settings of exporters and the sampler have no effect'
    logger.info({ traces: ofHost.traces !== null, metrics: ofHost.metrics !== null }, words)
  }
  const exported = {
    traces: telemetry.tracing.enabled && ofHost.traces === null,
    metrics: telemetry.metrics.enabled && ofHost.metrics === null,
  }
  await requirePackages(requiredPackages(telemetry, exported))
  let described: ReturnType<typeof describeService> | undefined
  const resource = () => (described ??= describeService(telemetry, place?.worker))
  const needs = { telemetry, place, resource, logger }
  const traces = ofHost.traces ?? (telemetry.tracing.enabled ? await ownTraces(needs) : null)
  try {
    const metrics = ofHost.metrics ?? (telemetry.metrics.enabled ? await ownMetrics(needs) : null)
    return createTelemetry(api, traces, metrics)
  } catch (error) {
    await traces?.close().catch(() => {})
    throw error
  }
}

/** Without this package the host has no OpenTelemetry either, and all other packages are needed. */
async function loadApi(telemetry: ResolvedTelemetry) {
  try {
    return await loadPackage('@opentelemetry/api', 'createNoopMeter')
  } catch (error) {
    await requirePackages(requiredPackages(telemetry))
    throw error
  }
}

/** Logs the packages' own diagnostics, which are global in the process. */
function reportTo(
  logger: Logger,
  { diag, DiagLogLevel }: typeof import('@opentelemetry/api'),
): void {
  const report =
    (level: 'debug' | 'info' | 'warn') =>
    (message: string): void =>
      logger[level]({ diagnostics: message.slice(0, 1000) }, 'OpenTelemetry')
  const debug = report('debug')
  diag.setLogger(
    { verbose: debug, debug, info: report('info'), warn: report('warn'), error: report('warn') },
    { logLevel: DiagLogLevel.DEBUG, suppressOverrideMessage: true },
  )
}

const instanceId = 'service.instance.id'

/**
 * Returns the resource attributes of all exported data.
 *
 * @param worker the number of the worker: a configured id of the instance is that of all workers.
 */
export async function describeService(
  { serviceName, resourceAttributes }: ResolvedTelemetry,
  worker?: number,
): Promise<Resource> {
  const { defaultResource, resourceFromAttributes } = await loadPackage(
    '@opentelemetry/resources',
    'resourceFromAttributes',
  )
  const configuredId = resourceAttributes[instanceId]
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'latchkey',
      // Instances export the same metrics: without this id they would overwrite each other's.
      [instanceId]: randomUUID(),
      'host.name': hostname(),
      'auth.version': version,
      ...resourceAttributes,
      ...(serviceName !== null && { 'service.name': serviceName }),
      ...(worker !== undefined && configuredId && { [instanceId]: `${configuredId}-${worker}` }),
    }),
  )
}

type Api = typeof import('@opentelemetry/api')

/** Returns the host's tracer, so that spans join its traces; null if none is registered. */
function hostTraces({ trace, context, propagation }: Api): Traces | null {
  const provider = trace.getTracerProvider()
  // Without a registered provider, the default one has no delegate.
  const isVacant =
    'getDelegateTracer' in provider &&
    (provider as { getDelegateTracer(name: string): unknown }).getDelegateTracer(scopeName) ===
      undefined
  if (isVacant) return null
  return {
    tracer: trace.getTracer(scopeName, version),
    contexts: {
      active: () => context.active(),
      with: (active, work) => context.with(active, work),
    },
    propagation,
    isShared: true,
    flush: async () => {},
    close: async () => {},
  }
}

/** Returns the host's meter; null if none is registered. */
function hostMetrics({ metrics, createNoopMeter }: Api): Metrics | null {
  const meter = metrics.getMeterProvider().getMeter(scopeName, version)
  return meter === createNoopMeter()
    ? null
    : { meter, flush: async () => {}, close: async () => {} }
}
