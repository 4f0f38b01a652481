import type { AuthContext } from '../../accounts/auth-context.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { isCarrierRefusal } from './carrier.ts'

/**
 * Asks whether a code is right that was sent to a phone, where the carrier makes codes of its own; null
 * where codes are ours to check. What is returned throws `service_unavailable` (503) where the carrier
 * does not say.
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
      throw isCarrierRefusal(error)
        ? serviceUnavailable('The code cannot be checked', error)
        : error
    })
}
