import { type Endpoint, messageErrors } from '../../http/endpoint.ts'

export const reauthenticateEndpoint = {
  method: 'GET',
  path: '/reauthenticate',
  summary: 'Sends the signed-in user a nonce, by mail or SMS.',
  caller: 'user',
  answers: { 200: 'SentMessage' },
  errors: [...messageErrors, 'email_not_confirmed', 'phone_not_confirmed'],
} as const satisfies Endpoint
