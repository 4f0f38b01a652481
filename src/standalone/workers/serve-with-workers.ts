import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { namesOf } from '../../platform/config/environment-names.ts'
import type { ResolvedServer } from '../../platform/config/sections/server.ts'
import { settings } from '../../platform/config/settings.ts'
import { createKeyedMutex } from '../../platform/kit/concurrency.ts'
import type { PlainMetric } from '../../platform/observability/opentelemetry/sum-metrics.ts'
import { listenError, stopOnSignal } from '../server/listen.ts'
import { createLogger } from '../server/logger.ts'
import { checkOpenFiles } from '../server/open-files.ts'
import {
  changesBetween,
  type FilesState,
  type HangUps,
  reloadOnChange,
} from '../server/reload-on-change.ts'
import { reasonOf } from '../server/served.ts'
import { type CheckedEnvironment, checkEnvironment } from '../settings/environment.ts'
import type { Environment } from '../settings/environment-remarks.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { superviseWorkers } from './supervise-workers.ts'
import { requireOwnCluster } from './worker-count.ts'
import { openWorkerOutput } from './worker-output.ts'

interface ServeNeeds {
  count: number
  environment: Environment
  checked: CheckedEnvironment
  /** Reads the present settings. */
  read(): Environment
  sources: SettingsSources
  /** The state of their files before they were first read. */
  state: FilesState
  hangUps: HangUps
}

/**
 * Serves in several processes that share the port. This one accepts connections and passes them on,
 * counts the limits, replaces workers, and serves their metrics.
 */
export async function serveWithWorkers(needs: ServeNeeds): Promise<void> {
  const { count, checked, read, sources, state, hangUps } = needs
  requireOwnCluster()
  const { log, server, telemetry } = checked.resolved
  const output = openWorkerOutput(log.file)
  const logger = createLogger(log, null, output.log)
  for (const remark of [...checked.remarks, ...checked.warnings]) logger.warn({}, remark)
  for (const { message, remedy } of checkOpenFiles(server.maxConnections, count))
    logger.warn({ remedy }, message)
  const port = await reservePort(server)
  const workers = superviseWorkers({ count, environment: needs.environment, port, logger, output })
  const closeMetrics = await serveMetricsOf(telemetry, logger, workers.metrics)
  const stopped = Promise.withResolvers<null>()
  const stop = stopOnSignal(
    {
      stop: async () => {
        workers.announceStop()
        await sleep(server.shutdownDelaySeconds * 1000)
        await workers.stop()
        await closeMetrics()
        stopped.resolve(null)
      },
      abort: workers.kill,
    },
    logger,
  )
  const started = workers.start().catch(async (error) => {
    await closeMetrics()
    throw error
  })
  const running = await Promise.race([started, stopped.promise])
  if (running === null) return

  let current = { environment: needs.environment, checked }
  const reload = async (): Promise<void> => {
    try {
      const environment = read()
      const next = checkEnvironment(environment)
      for (const remark of next.remarks) logger.warn({}, remark)
      const { changed, kept } = changesBetween(current.checked.config, next.config, isOfPrimary)
      if (kept.length > 0) {
        logger.warn(
          { settings: kept.map(next.nameOf) },
          'settings that need a restart were not applied',
        )
      }
      const applied = withFormer(environment, current.environment, kept)
      if (!(await workers.replaceAll(applied))) return
      current = { environment: applied, checked: checkEnvironment(applied) }
      if (changed.length > 0) {
        logger.info({ settings: changed.map(next.nameOf) }, 'settings reloaded')
      } else logger.info({}, 'settings have not changed; workers were replaced')
    } catch (error) {
      logger.error(reasonOf(error), 'settings were not reloaded; the former ones remain in effect')
    }
  }
  reloadOnChange({
    sources,
    state,
    settings: server,
    hangUps,
    reload: serializeReloads(reload),
    stop,
  })
  await running.all
  const { url, addresses } = running.address
  logger.info({ workers: count, addresses, url }, 'listening')
}

/** Settings that the primary process uses: the place of the listener, of metrics, and its log. */
const isOfPrimary = (path: string): boolean =>
  /^(server\.(host|port|workers|watch\w+)|log\.\w+|telemetry\.(metrics|prometheus)\.\w+)$/.test(
    path,
  )

/** Returns the settings with the former values at these paths. */
function withFormer(next: Environment, former: Environment, paths: readonly string[]): Environment {
  const names = settings.filter(({ path }) => paths.includes(path)).flatMap(namesOf)
  const kept = Object.fromEntries(names.map((name) => [name, former[name]]))
  return { ...next, ...kept }
}

/** Runs one reload at a time. All requests during a reload share the next one. */
function serializeReloads(reload: () => Promise<void>): () => Promise<void> {
  const mutex = createKeyedMutex()
  let scheduled: Promise<void> | null = null
  return () => {
    scheduled ??= mutex('reload', () => {
      scheduled = null
      return reload()
    })
    return scheduled
  }
}

/** Serves the metrics to Prometheus, if the settings do. Returns the function that ends it. */
async function serveMetricsOf(
  telemetry: CheckedEnvironment['resolved']['telemetry'],
  logger: ReturnType<typeof createLogger>,
  collect: () => Promise<PlainMetric[]>,
): Promise<() => Promise<void>> {
  const { enabled, exporter } = telemetry.metrics
  if (!enabled || exporter !== 'prometheus') return async () => {}
  const { serveSummedMetrics } = await import(
    '../../platform/observability/opentelemetry/serve-summed-metrics.ts'
  )
  return serveSummedMetrics(telemetry, { logger, collect })
}

/**
 * Checks that the port is available, and returns its number: with port 0, Node would choose another
 * one after all workers have ended.
 *
 * @throws ListenError
 */
async function reservePort({ host, port }: ResolvedServer): Promise<number> {
  const server = createServer()
  try {
    server.listen({ port, ...(host && { host }) })
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, { host, port })
  }
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
