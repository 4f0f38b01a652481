import { AuthError } from '../../platform/errors/auth-error.ts'

export const trustedDevicesDisabled = (): AuthError =>
  new AuthError('trusted_devices_disabled', 404, 'Trusted devices are disabled')

/** There is none, it is somebody else's, expired, void, or its secret was used before. Which of them is not told. */
export const trustedDeviceNotFound = (): AuthError =>
  new AuthError('trusted_device_not_found', 404, 'Trusted device not found')
