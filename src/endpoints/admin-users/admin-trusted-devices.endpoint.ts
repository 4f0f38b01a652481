import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

export const listTrustedDevicesByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/trusted-devices',
  summary: 'Lists the trusted devices of a user, the oldest first.',
  inCode: 'auth.admin.listTrustedDevices',
  guards: [operator],
  answers: { 200: 'TrustedDevices' },
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
