import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { operator } from '../../endpoints/http/guards.ts'
import { trustedDeviceList } from './present-trusted-device.ts'

export const listTrustedDevicesByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/trusted-devices',
  summary: 'Lists the trusted devices of a user, the oldest first.',
  inCode: 'auth.admin.listTrustedDevices',
  guards: [operator],
  answers: { 200: trustedDeviceList },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const deleteTrustedDeviceByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/trusted-devices/{device_id}',
  summary: 'Ends the trust in a device of a user.',
  inCode: 'auth.admin.deleteTrustedDevice',
  guards: [operator],
  answers: { 204: null },
  errors: ['trusted_device_not_found', 'user_not_found'],
} as const satisfies Endpoint
