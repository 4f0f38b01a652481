import type { Endpoint } from '../../http/endpoint.ts'

export const listPasskeysByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/passkeys',
  summary: 'Lists the passkeys of a user, the oldest first.',
  caller: 'operator',
  answers: { 200: 'Passkeys' },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const deletePasskeyByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/passkeys/{passkey_id}',
  summary: 'Removes a passkey of a user.',
  caller: 'operator',
  answers: { 204: null },
  errors: ['user_not_found'],
} as const satisfies Endpoint
