import { existsSync } from 'node:fs'
import type { Admin } from '../accounts/callers/authenticate-admin.ts'
import { createSubscribePages } from '../capabilities/subscribe-pages/subscribe-pages.ts'
import { ConfigError } from '../platform/errors/config-error.ts'
import { isProductionEnv } from '../platform/kit/is-production-env.ts'
import { createService, type Service } from '../service/create-auth.ts'
import { developmentFolder } from '../service/persistence/development-folder.ts'
import { type CheckedEnvironment, checkEnvironment } from './environment.ts'
import type { Environment } from './environment-remarks.ts'
import { createLogger } from './logger.ts'

/** The actor in the audit log for acts on the command line. */
export const operator: Admin = { role: 'cli' }

/** A command that runs once opens no port and exports nothing: a server may run beside it. */
const withoutTelemetry = { tracing: { enabled: false }, metrics: { enabled: false } }

/**
 * Opens the configured service without telemetry. It logs only if the audit log is not stored in
 * the database; errors are printed by the command.
 */
export function openForOperator(): Service {
  const { config, resolved, nameOf } = checkOperatorEnvironment(process.env)
  const logger = resolved.auditLog.disablePostgres ? createLogger(resolved.log) : false
  const service = createService({ ...config, logger, telemetry: withoutTelemetry }, { nameOf })
  // An export of a user's data includes the tables of the subscription pages.
  if (resolved.server.subscribePagesEnabled) createSubscribePages({ auth: service.auth })
  return service
}

/**
 * Returns the environment of `latchkey serve`. If that lacks a database or keys and `latchkey dev`
 * has run in this folder, returns the development settings.
 *
 * @throws ConfigError if there is neither.
 */
export function checkOperatorEnvironment(env: Environment): CheckedEnvironment {
  try {
    return checkEnvironment(env)
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.problems.some(isDevelopmentDefault)) throw error
    if (isProductionEnv(env['NODE_ENV'])) throw error
    if (!existsSync(developmentFolder)) {
      throw new ConfigError(error.problems, elsewhere)
    }
    const checked = checkEnvironment(env, { development: true })
    process.stderr.write(
      `Using the settings of latchkey dev in this folder (${developmentFolder}/).\n`,
    )
    return checked
  }
}

const elsewhere =
  'Run this command with the settings of latchkey serve, or in a folder where latchkey dev has run: there it needs none.'

const isDevelopmentDefault = ({ path, message }: { path: string; message: string }): boolean =>
  /^AUTH_(DATABASE_URL|JWT_SECRET|ENCRYPTION_KEY)$/.test(path) && message.startsWith('is required')
