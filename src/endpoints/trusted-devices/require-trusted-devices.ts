import { trustedDevicesDisabled } from '../../accounts/trusted-devices/trusted-device-errors.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Refuses everybody where no device is trusted.
 *
 * @throws AuthError `trusted_devices_disabled` (404).
 */
export function requireTrustedDevices({ config }: { config: Config }): void {
  if (!config.mfa.trustedDevices.enabled) throw trustedDevicesDisabled()
}
