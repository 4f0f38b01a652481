import { createService, type Service } from '../create-auth.ts'
import type { Admin } from '../steps/authenticate-admin.ts'
import { checkEnvironment } from './environment.ts'
import { createLogger } from './logger.ts'

/** Who acts, in the audit log, when somebody does on the command line. */
export const operator: Admin = { role: 'cli' }

/** The configured service. Where the log is the only one to tell of what operators do, there is one. */
export function openForOperator(): Service {
  const { config, resolved } = checkEnvironment(process.env)
  const logger = resolved.auditLog.disablePostgres ? createLogger(resolved.log) : undefined
  return createService({ ...config, ...(logger && { logger }) })
}
