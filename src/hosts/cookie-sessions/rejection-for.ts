import { capabilityHostOf } from '../../capabilities/capability-host.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { unexpectedFailure } from '../../platform/errors/request-errors.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { isLogged } from '../../platform/observability/logged-faults.ts'
import type { CookieHost } from './cookie-host.ts'

/**
 * Logs a fault and returns its response, like the service: an exception would end the process in
 * many hosts.
 */
export function rejectionFor({ auth }: Pick<CookieHost, 'auth'>, error: unknown): AuthError {
  if (error instanceof AuthError) return error
  if (!isLogged(error)) {
    capabilityHostOf(auth).logger.error({ fault: describeFault(error) }, 'request failed')
  }
  return unexpectedFailure()
}
