import { fields, Metadata, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

export interface InviteUserInput {
  email: string
  /** The metadata of a new user, or of one with a reclaimable account. */
  data?: Record<string, unknown> | undefined
  /** The redirect target of the link. Default: the site URL. */
  redirectTo?: string | undefined
}

export const inviteEndpoint = {
  method: 'POST',
  path: '/invite',
  summary: 'Creates a user and mails an invitation.',
  inCode: 'auth.admin.inviteUser',
  guards: [operator],
  query: { redirectTo: Text },
  body: fields({ email: required(Text), data: Metadata }),
  answers: { 200: 'User' },
  errors: [
    ...hookErrors,
    'conflict',
    'email_address_invalid',
    'email_address_not_authorized',
    'email_exists',
    'over_email_send_rate_limit',
  ],
  conditions: {
    email_exists: 'for a confirmed address',
    over_email_send_rate_limit: 'for the budget of all mails',
  },
} as const satisfies Endpoint<InviteUserInput>
