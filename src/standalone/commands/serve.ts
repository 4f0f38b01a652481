import { createAuth } from '../../create-auth.ts'
import { checkEnvironment } from '../environment.ts'
import { listen, stopOnSignal } from '../listen.ts'
import { createLogger } from '../logger.ts'
import { refuseArguments } from '../parse-flags.ts'

/** `latchkey serve`: migrates, then answers until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  refuseArguments('serve', args)
  const { config, resolved, remarks } = checkEnvironment(process.env)
  const logger = createLogger(resolved.log)
  for (const remark of remarks) logger.warn({}, remark)
  const auth = createAuth({ ...config, logger })
  await auth.ready()
  const listening = await listen(auth, resolved.server)
  stopOnSignal(listening, logger)
  logger.info({ url: listening.url }, 'listening')
}
