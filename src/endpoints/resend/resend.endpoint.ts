import { fields, oneOf, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, messageErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

export const resendTypes = ['signup', 'email_change', 'sms', 'phone_change'] as const

/** The type of the message to resend. */
export type ResendType = (typeof resendTypes)[number]

export interface ResendInput extends LinkOptions {
  type: ResendType
  /**
   * The user's present address, also for a change of address; exactly one of `email` and `phone`.
   */
  email?: string | undefined
  phone?: string | undefined
}

export const resendEndpoint = {
  method: 'POST',
  path: '/resend',
  summary: 'Sends the message of a sign-up or of a change of address again.',
  inCode: 'auth.api.resend',
  guards: [anyone, limit('resend'), captcha],
  query: { redirectTo: Text },
  body: fields({
    type: required(oneOf(resendTypes)),
    email: Text,
    phone: Text,
    ...codeChallengeFields,
  }),
  answers: { 200: 'SentMessage' },
  errors: [...messageErrors, 'email_provider_disabled', 'phone_provider_disabled'],
} as const satisfies Endpoint<ResendInput>
