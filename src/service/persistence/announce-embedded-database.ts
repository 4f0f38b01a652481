import { existsSync } from 'node:fs'
import type { Config } from '../../platform/config/config.ts'
import { developmentFolder, embeddedDataFolder } from './development-folder.ts'

/**
 * Reports that the first start in development creates a database: the request that starts the
 * service waits for it. Printed also without a logger, as the address of the mailbox is.
 *
 * @param folder the present or future data folder of the embedded database.
 */
export function announceEmbeddedDatabase(
  { database, logger }: Pick<Config, 'logger'> & { database: Pick<Config['database'], 'url'> },
  folder: string = embeddedDataFolder,
): void {
  if (database.url !== null || existsSync(folder)) return
  const message = `Latchkey creates an embedded database in ${developmentFolder}/. This takes a few seconds, once`
  if (logger) logger.info({}, message)
  else process.stderr.write(`${message} …\n`)
}
