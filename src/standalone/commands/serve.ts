import type { AuthConfig } from '../../config/auth-config.ts'
import type { DatabaseConfig } from '../../config/sections/database.ts'
import { createService } from '../../create-auth.ts'
import { checkEnvironment } from '../environment.ts'
import { listen, stopOnSignal } from '../listen.ts'
import { createLogger } from '../logger.ts'
import { refuseArguments } from '../parse-flags.ts'

/** `latchkey serve`: migrates, then answers until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  refuseArguments('serve', args)
  const { config, resolved, remarks, nameOf } = checkEnvironment(process.env)
  const logger = createLogger(resolved.log)
  for (const remark of remarks) logger.warn({}, remark)
  // A process of its own shares its connections with no host: as many as the server gives.
  const database = { maxPoolSize: 0, ...databaseOf(config) }
  const { auth } = createService({ ...config, database, logger }, { nameOf })
  await auth.ready()
  const listening = await listen(auth, resolved)
  stopOnSignal(listening, logger)
  logger.info({ url: listening.url }, 'listening')
}

const databaseOf = ({ database }: AuthConfig): DatabaseConfig =>
  typeof database === 'string' ? { url: database } : (database ?? {})
