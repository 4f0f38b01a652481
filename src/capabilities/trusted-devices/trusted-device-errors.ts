import { AuthError } from '../../platform/errors/auth-error.ts'

export const trustedDevicesDisabled = (): AuthError =>
  new AuthError('trusted_devices_disabled', 404, 'Trusted devices are disabled')

/**
 * No such device, one of another user, an expired or revoked one, or a secret that was used before.
 * The response does not distinguish them.
 */
export const trustedDeviceNotFound = (): AuthError =>
  new AuthError('trusted_device_not_found', 404, 'Trusted device not found')
