import { fields, required, Text } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { anyone, captcha, limit } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

/** A request to recover an account whose password is lost. */
export interface ResetPasswordInput extends LinkOptions {
  email: string
}

export const recoverEndpoint = {
  method: 'POST',
  path: '/recover',
  summary: 'Mails a link and code that sign in. The response is the same for an unknown address.',
  inCode: 'auth.api.resetPasswordForEmail',
  guards: [anyone, limit('recover'), captcha],
  query: { redirectTo: Text },
  body: fields({ email: required(Text), ...codeChallengeFields }),
  answers: { 200: 'Empty' },
  errors: [
    'email_address_invalid',
    'email_address_not_authorized',
    'email_provider_disabled',
    'over_email_send_rate_limit',
  ],
} as const satisfies Endpoint<ResetPasswordInput>
