import { createService, type Service } from '../create-auth.ts'
import type { Admin } from '../steps/authenticate-admin.ts'
import { checkEnvironment } from './environment.ts'
import { createLogger } from './logger.ts'

/** Who acts, in the audit log, when somebody does on the command line. */
export const operator: Admin = { role: 'cli' }

/**
 * The configured service. It has a log where nothing else tells of what operators do; what goes wrong is
 * said by the command.
 */
export function openForOperator(): Service {
  const { config, resolved, nameOf } = checkEnvironment(process.env)
  const logger = resolved.auditLog.disablePostgres ? createLogger(resolved.log) : false
  return createService({ ...config, logger }, { nameOf })
}
