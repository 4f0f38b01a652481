import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

const trustedDevicesDisabled = (): AuthError =>
  new AuthError('trusted_devices_disabled', 404, 'Trusted devices are disabled')

/**
 * No such device, one of another user, an expired or revoked one, or a secret that was used before.
 * The response does not distinguish them.
 */
export const trustedDeviceNotFound = (): AuthError =>
  new AuthError('trusted_device_not_found', 404, 'Trusted device not found')

/**
 * Rejects the request where the configuration does not enable trusted devices.
 *
 * @throws AuthError `trusted_devices_disabled` (404).
 */
export function requireTrustedDevices({ config }: { config: Config }): void {
  if (!config.mfa.trustedDevices.enabled) throw trustedDevicesDisabled()
}
