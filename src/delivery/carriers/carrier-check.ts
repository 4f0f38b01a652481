import type { AuthContext } from '../../accounts/auth-context.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { isCarrierRejection } from './carrier.ts'

/**
 * Returns a function that verifies a code sent to a phone, if the carrier generates codes itself;
 * null if Latchkey verifies them. The function throws `service_unavailable` (503) if the carrier
 * does not respond with a result.
 */
export function carrierCheck({
  config,
  checkSmsCode,
}: Pick<AuthContext, 'config' | 'checkSmsCode'>):
  | ((phone: string, code: string) => Promise<boolean>)
  | null {
  if (!checkSmsCode || config.hooks.sendSms.enabled) return null
  return (phone, code) =>
    checkSmsCode(phone, code).catch((error: unknown) => {
      throw isCarrierRejection(error)
        ? serviceUnavailable('The code cannot be checked', error)
        : error
    })
}
