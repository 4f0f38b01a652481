import { Flag, fields, Metadata, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors, messageErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

/** A sign-in by code or link. Exactly one of `email` and `phone` is required. */
export interface SignInWithOtpInput extends LinkOptions {
  email?: string | undefined
  phone?: string | undefined
  /** Whether an unknown address is signed up. Default true. */
  createUser?: boolean | undefined
  /** The metadata of a new user. */
  data?: Record<string, unknown> | undefined
  /** The channel to a phone: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

export const otpEndpoint = {
  method: 'POST',
  path: '/otp',
  summary: 'Sends a link or code that signs in.',
  inCode: 'auth.api.signInWithOtp',
  guards: [anyone, limit('otp'), captcha],
  query: { redirectTo: Text },
  body: fields({
    email: Text,
    phone: Text,
    createUser: Flag,
    data: Metadata,
    channel: Text,
    ...codeChallengeFields,
  }),
  answers: { 200: ['Empty', 'SentMessage'] },
  errors: [
    ...hookErrors,
    ...messageErrors,
    'email_provider_disabled',
    'otp_disabled',
    'phone_provider_disabled',
    'signup_disabled',
  ],
  conditions: {
    otp_disabled: 'for an unknown address with `createUser: false`',
  },
} as const satisfies Endpoint<SignInWithOtpInput>

interface MagicLinkInput extends LinkOptions {
  email: string
  data?: Record<string, unknown> | undefined
}

export const magicLinkEndpoint = {
  method: 'POST',
  path: '/magiclink',
  summary: 'Sends a link or code that signs in, as `POST /otp` does, to an email.',
  guards: [anyone, limit('magiclink'), captcha],
  query: { redirectTo: Text },
  body: fields({ email: required(Text), data: Metadata, ...codeChallengeFields }),
  answers: { 200: 'Empty' },
  errors: [
    'email_address_invalid',
    ...hookErrors,
    'email_address_not_authorized',
    'email_provider_disabled',
    'over_email_send_rate_limit',
    'signup_disabled',
  ],
} as const satisfies Endpoint<MagicLinkInput>
