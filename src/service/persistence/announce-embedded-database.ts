import { existsSync } from 'node:fs'
import type { Config } from '../../platform/config/config.ts'
import { developmentFolder, embeddedDataFolder } from './development-folder.ts'

/**
 * Tells what the first start in development is busy with: the request that makes the service waits for it. Without a logger it is
 * said all the same, as the address of the mailbox is.
 *
 * @param folder where the data of the embedded database are, or will be.
 */
export function announceEmbeddedDatabase(
  { database, logger }: Pick<Config, 'logger'> & { database: Pick<Config['database'], 'url'> },
  folder: string = embeddedDataFolder,
): void {
  if (database.url !== null || existsSync(folder)) return
  const message = `Latchkey makes an embedded database in ${developmentFolder}/, which takes some seconds, once`
  if (logger) logger.info({}, message)
  else process.stderr.write(`${message} …\n`)
}
