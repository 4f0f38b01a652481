import type { Config } from '../../platform/config/config.ts'
import { trustedDevicesDisabled } from './trusted-device-errors.ts'

/**
 * Rejects the request where the configuration does not enable trusted devices.
 *
 * @throws AuthError `trusted_devices_disabled` (404).
 */
export function requireTrustedDevices({ config }: { config: Config }): void {
  if (!config.mfa.trustedDevices.enabled) throw trustedDevicesDisabled()
}
