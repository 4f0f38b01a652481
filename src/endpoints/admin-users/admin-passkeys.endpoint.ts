import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

export const listPasskeysByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/passkeys',
  summary: 'Lists the passkeys of a user, the oldest first.',
  inCode: 'auth.admin.listPasskeys',
  guards: [operator],
  answers: { 200: 'Passkeys' },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const deletePasskeyByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/passkeys/{passkey_id}',
  summary: 'Removes a passkey of a user.',
  inCode: 'auth.admin.deletePasskey',
  guards: [operator],
  answers: { 204: null },
  errors: ['reauthentication_needed', 'user_not_found'],
  conditions: {
    validation_failed: 'also for a passkey that the user does not have (404)',
  },
} as const satisfies Endpoint
