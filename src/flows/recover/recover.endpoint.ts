import { type Endpoint, messageErrors } from '../../http/endpoint.ts'
import { fields, required, Text } from '../../http/inputs.ts'
import { codeChallengeFields, type LinkOptions } from '../../http/link-options.ts'

export interface ResetPasswordInput extends LinkOptions {
  email: string
}

export const recoverEndpoint = {
  method: 'POST',
  path: '/recover',
  summary: 'Mails a link and code that sign in, whether or not anybody has the address.',
  caller: 'anyone',
  limit: 'recover',
  query: { redirectTo: Text },
  body: fields({ email: required(Text), ...codeChallengeFields }),
  answers: { 200: 'Empty' },
  errors: [...messageErrors, 'email_provider_disabled'],
} as const satisfies Endpoint<ResetPasswordInput>
