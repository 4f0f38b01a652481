import type { Config } from '../../platform/config/config.ts'
import { checkEnvironment } from '../environment.ts'
import { listen, stopOnSignal } from '../listen.ts'
import { createLogger } from '../logger.ts'
import { rejectArguments } from '../parse-flags.ts'
import { listenForHangUps, reloadOnChange } from '../reload-on-change.ts'
import { openServed } from '../served.ts'
import { openSources, type SettingsSources } from '../settings-files.ts'

/**
 * `latchkey serve`: migrates the database, then serves requests until it is stopped by a signal.
 */
export async function serve(args: string[], sources: SettingsSources): Promise<void> {
  rejectArguments('serve', args)
  const hangUps = listenForHangUps()
  const readSources = openSources(sources)
  const checked = checkEnvironment(readSources())
  const logger = createLogger(checked.resolved.log)
  for (const remark of checked.remarks) logger.warn({}, remark)
  let follow = (_settings: Config): void => {}
  const served = await openServed(checked, {
    logger,
    read: () => checkEnvironment(readSources()),
    changed: (settings) => follow(settings),
  })
  const listening = await listen(served.auth, checked.resolved)
  follow = listening.follow
  const stop = stopOnSignal(listening, logger)
  const settings = checked.resolved.server
  reloadOnChange({ sources, settings, hangUps, reload: served.reload, stop })
  logger.info({ addresses: listening.addresses, url: listening.url }, 'listening')
}
