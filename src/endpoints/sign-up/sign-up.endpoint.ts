import { fields, Metadata, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors, messageErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

/** A sign-up by password. Exactly one of `email` and `phone` is given. */
export interface SignUpInput extends LinkOptions {
  email?: string | undefined
  phone?: string | undefined
  password: string
  /** The name to sign in with beside the address, where the configuration enables user names. */
  username?: string | undefined
  /** Becomes the user's metadata. */
  data?: Record<string, unknown> | undefined
  /** How a phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

/** A sign-in of somebody who gives no address. */
export interface SignInAnonymouslyInput {
  /** Becomes the user's metadata. */
  data?: Record<string, unknown> | undefined
}

export const signUpEndpoint = {
  method: 'POST',
  path: '/signup',
  summary: 'Signs up by email or phone and password.',
  inCode: 'auth.api.signUp',
  guards: [
    anyone,
    limit('signup', ({ anonymousUsers }) =>
      anonymousUsers.enabled ? ['signup', 'anonymous'] : ['signup'],
    ),
    captcha,
  ],
  query: { redirectTo: Text },
  body: fields({
    email: Text,
    phone: Text,
    password: required(Text),
    username: Text,
    data: Metadata,
    channel: Text,
    ...codeChallengeFields,
  }),
  // The user alone while the address waits for confirmation.
  answers: { 200: ['Session', 'User'] },
  errors: [
    ...hookErrors,
    ...messageErrors,
    'anonymous_provider_disabled',
    'email_provider_disabled',
    'phone_provider_disabled',
    'signup_disabled',
    'user_already_exists',
    'username_exists',
    'weak_password',
  ],
} as const satisfies Endpoint<SignUpInput>

/** The same path without email and phone. What else a body holds is passed over. */
export const anonymousSignUpEndpoint = {
  method: 'POST',
  path: '/signup',
  summary: 'Signs in somebody who gives no address, as a new user.',
  inCode: 'auth.api.signInAnonymously',
  guards: [anyone, limit('anonymous'), captcha],
  body: fields({ data: Metadata }),
  answers: { 200: 'Session' },
  errors: [...hookErrors, 'anonymous_provider_disabled', 'signup_disabled'],
  signInMethod: 'anonymous',
} as const satisfies Endpoint<SignInAnonymouslyInput>
