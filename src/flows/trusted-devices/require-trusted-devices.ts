import type { AuthContext } from '../../deps.ts'
import { trustedDevicesDisabled } from '../../trusted-devices/trusted-device-errors.ts'

/**
 * Refuses everybody where no device is trusted.
 *
 * @throws AuthError `trusted_devices_disabled` (404).
 */
export function requireTrustedDevices({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.mfa.trustedDevices.enabled) throw trustedDevicesDisabled()
}
