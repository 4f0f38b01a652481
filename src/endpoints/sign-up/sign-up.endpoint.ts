import { fields, Metadata, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors, messageErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit } from '../http/guards.ts'
import { codeChallengeFields, type LinkOptions } from '../http/link-options.ts'

/** A sign-up by password. Exactly one of `email` and `phone` is required. */
export interface SignUpInput extends LinkOptions {
  email?: string | undefined
  phone?: string | undefined
  password: string
  /**
   * A name to sign in with, in addition to the address, where the configuration enables user names.
   */
  username?: string | undefined
  /** The metadata of the new user. */
  data?: Record<string, unknown> | undefined
  /** The channel to a phone: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

/** A sign-in without an address. */
export interface SignInAnonymouslyInput {
  /** The metadata of the new user. */
  data?: Record<string, unknown> | undefined
}

/** Whether the body of a sign-up contains no address. */
export const isAnonymousSignUp = ({
  email,
  phone,
}: {
  email?: unknown
  phone?: unknown
}): boolean => !email && !phone

export const signUpEndpoint = {
  method: 'POST',
  path: '/signup',
  summary: 'Signs up by email or phone and password.',
  inCode: 'auth.api.signUp',
  guards: [
    anyone,
    limit('signup', {
      limit: 'anonymous',
      isOffered: ({ anonymousUsers }) => anonymousUsers.enabled,
      appliesTo: isAnonymousSignUp,
    }),
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
  // Only the user, while the address is unconfirmed.
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

/** The sign-up without email and phone. Other fields of the body are ignored. */
export const anonymousSignUpEndpoint = {
  method: 'POST',
  path: '/signup',
  summary: 'Signs in anonymously, as a new user without an address.',
  inCode: 'auth.api.signInAnonymously',
  guards: [anyone, limit('anonymous'), captcha],
  body: fields({ data: Metadata }),
  answers: { 200: 'Session' },
  errors: [...hookErrors, 'anonymous_provider_disabled', 'signup_disabled'],
  signInMethod: 'anonymous',
} as const satisfies Endpoint<SignInAnonymouslyInput>
