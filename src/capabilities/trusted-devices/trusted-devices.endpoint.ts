import { type Endpoint, hookErrors } from '../../endpoints/http/endpoint.ts'
import { limit, offeredIf, user } from '../../endpoints/http/guards.ts'
import { Flag, fields, Text } from '../../platform/http/inputs.ts'
import { newTrustedDevice, trustedDeviceList, trustedSession } from './present-trusted-device.ts'
import type { VerifyTrustedDeviceInput } from './trusted-device.ts'
import { requireTrustedDevices } from './trusted-device-errors.ts'

/**
 * Whether the response stores the secret in a cookie, which scripts cannot read, and not in its
 * body. For browsers.
 */
interface InCookie {
  cookie?: boolean | undefined
}

export const trustDeviceEndpoint = {
  method: 'POST',
  path: '/trusted-devices',
  section: 'Second factors',
  summary: 'Trusts the device: its user need not show a second factor on it for a while.',
  inCode: 'auth.api.trustDevice',
  guards: [offeredIf(requireTrustedDevices), user, limit('factor_enroll')],
  needsRecentProof: true,
  body: fields({ cookie: Flag }),
  isBodyOptional: true,
  answers: { 200: newTrustedDevice },
  errors: [
    'insufficient_aal',
    'mfa_factor_not_found',
    'reauthentication_needed',
    'trusted_devices_disabled',
  ],
  conditions: {
    mfa_factor_not_found: 'for a user without a second factor',
    insufficient_aal: 'where the session has not proved it itself',
    reauthentication_needed: 'where the proof is older than 5 minutes',
  },
} as const satisfies Endpoint<InCookie>

export const verifyTrustedDeviceEndpoint = {
  method: 'POST',
  path: '/trusted-devices/verify',
  section: 'Second factors',
  summary: 'Accepts a trusted device in place of a second factor: the session rises to `aal2`.',
  inCode: 'auth.api.verifyTrustedDevice',
  guards: [offeredIf(requireTrustedDevices), user, limit('factor_verify')],
  needsRecentProof: false,
  needsSession: true,
  body: fields({ secret: Text }),
  isBodyOptional: true,
  answers: { 200: trustedSession },
  errors: [...hookErrors, 'trusted_device_not_found', 'trusted_devices_disabled'],
  signInMethod: 'trusted_device',
} as const satisfies Endpoint<Partial<VerifyTrustedDeviceInput>>

export const listTrustedDevicesEndpoint = {
  method: 'GET',
  path: '/trusted-devices',
  section: 'Second factors',
  summary: 'Lists the trusted devices of the signed-in user, the oldest first.',
  inCode: 'auth.api.listTrustedDevices',
  guards: [offeredIf(requireTrustedDevices), user],
  needsRecentProof: false,
  answers: { 200: trustedDeviceList },
  errors: ['trusted_devices_disabled'],
} as const satisfies Endpoint

export const deleteTrustedDeviceEndpoint = {
  method: 'DELETE',
  path: '/trusted-devices/{device_id}',
  section: 'Second factors',
  summary: 'Ends the trust in a device.',
  inCode: 'auth.api.deleteTrustedDevice',
  guards: [offeredIf(requireTrustedDevices), user],
  needsRecentProof: false,
  answers: { 204: null },
  errors: ['trusted_device_not_found', 'trusted_devices_disabled'],
} as const satisfies Endpoint
