import { Flag, fields, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { limit, offeredIf, user } from '../http/guards.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'

export interface VerifyTrustedDeviceInput {
  accessToken: string
  /** What the device was given when it was trusted, or at its last use. */
  secret: string
}

/** A trusted device of the signed-in user. */
export interface TrustedDeviceInput {
  accessToken: string
  deviceId: string
}

/** Of browsers: whether the secret is kept in a cookie, which scripts cannot read, and not answered. */
interface InCookie {
  cookie?: boolean | undefined
}

export const trustDeviceEndpoint = {
  method: 'POST',
  path: '/trusted-devices',
  summary: 'Trusts the device: its user need not show a second factor on it for a while.',
  inCode: 'auth.api.trustDevice',
  guards: [offeredIf(requireTrustedDevices), user, limit('factor_enroll')],
  needsRecentProof: true,
  body: fields({ cookie: Flag }),
  isBodyOptional: true,
  answers: { 200: 'NewTrustedDevice' },
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
  summary: 'Takes a trusted device for a second factor: the session rises to `aal2`.',
  inCode: 'auth.api.verifyTrustedDevice',
  guards: [offeredIf(requireTrustedDevices), user, limit('factor_verify')],
  needsRecentProof: false,
  needsSession: true,
  body: fields({ secret: Text }),
  isBodyOptional: true,
  answers: { 200: 'TrustedSession' },
  errors: [...hookErrors, 'trusted_device_not_found', 'trusted_devices_disabled'],
  signInMethod: 'trusted_device',
} as const satisfies Endpoint<Partial<VerifyTrustedDeviceInput>>

export const listTrustedDevicesEndpoint = {
  method: 'GET',
  path: '/trusted-devices',
  summary: 'Lists the trusted devices of the signed-in user, the oldest first.',
  inCode: 'auth.api.listTrustedDevices',
  guards: [offeredIf(requireTrustedDevices), user],
  needsRecentProof: false,
  answers: { 200: 'TrustedDevices' },
  errors: ['trusted_devices_disabled'],
} as const satisfies Endpoint

export const deleteTrustedDeviceEndpoint = {
  method: 'DELETE',
  path: '/trusted-devices/{device_id}',
  summary: 'Ends the trust in a device.',
  inCode: 'auth.api.deleteTrustedDevice',
  guards: [offeredIf(requireTrustedDevices), user],
  needsRecentProof: false,
  answers: { 204: null },
  errors: ['trusted_device_not_found', 'trusted_devices_disabled'],
} as const satisfies Endpoint
