import type { Config } from '../../platform/config/config.ts'
import { listen, stopOnSignal } from '../server/listen.ts'
import { createLogger } from '../server/logger.ts'
import { checkOpenFiles } from '../server/open-files.ts'
import { listenForHangUps, reloadOnChange, stateOf } from '../server/reload-on-change.ts'
import { openServed } from '../server/served.ts'
import { checkEnvironment } from '../settings/environment.ts'
import { openSources, type SettingsSources } from '../settings/settings-files.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { processesFor, withWorkersOption } from '../workers/worker-count.ts'
import { checkHeap } from '../workers/worker-memory.ts'
import { isWorkerProcess } from '../workers/worker-process.ts'

/**
 * `latchkey serve`: migrates the database, then serves requests until it is stopped by a signal,
 * with `--workers` in several processes.
 */
export async function serve(args: string[], sources: SettingsSources): Promise<void> {
  if (isWorkerProcess()) {
    const { serveAsWorker } = await import('../workers/worker.ts')
    return serveAsWorker()
  }
  const { positionals, values } = parseFlags('serve', args, { workers: { type: 'string' } })
  rejectWords('serve', positionals)
  const withOption = withWorkersOption(values.workers)
  const hangUps = listenForHangUps()
  const state = stateOf(sources)
  const readSources = openSources(sources)
  const read = () => withOption(readSources())
  const environment = read()
  const checked = checkEnvironment(environment)
  const count = processesFor(checked.resolved.server.workers)
  if (count > 1) {
    const { serveWithWorkers } = await import('../workers/serve-with-workers.ts')
    return serveWithWorkers({ count, environment, checked, read, sources, state, hangUps })
  }
  const logger = createLogger(checked.resolved.log)
  for (const remark of checked.remarks) logger.warn({}, remark)
  const { maxConnections } = checked.resolved.server
  for (const { message, remedy } of [...checkHeap(), ...checkOpenFiles(maxConnections, count)])
    logger.warn({ remedy }, message)
  let follow = (_settings: Config): void => {}
  const served = await openServed(checked, {
    logger,
    read: () => checkEnvironment(read()),
    changed: (settings) => follow(settings),
  })
  const listening = await listen(served.auth, checked.resolved)
  follow = listening.follow
  const stop = stopOnSignal(listening, logger)
  const settings = checked.resolved.server
  reloadOnChange({ sources, state, settings, hangUps, reload: served.reload, stop })
  logger.info({ addresses: listening.addresses, url: listening.url }, 'listening')
}
