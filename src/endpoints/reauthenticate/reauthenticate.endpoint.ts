import { type Endpoint, messageErrors } from '../http/endpoint.ts'
import { user } from '../http/guards.ts'

export const reauthenticateEndpoint = {
  method: 'GET',
  path: '/reauthenticate',
  summary: 'Sends the signed-in user a nonce, by mail or SMS.',
  inCode: 'auth.api.reauthenticate',
  guards: [user],
  needsRecentProof: false,
  answers: { 200: 'SentMessage' },
  errors: [...messageErrors, 'address_too_new', 'email_not_confirmed', 'phone_not_confirmed'],
  conditions: {
    validation_failed: 'also for a user without an address',
  },
} as const satisfies Endpoint
