import { fields, oneOf, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { anyone, limit } from '../http/guards.ts'

/** The type of a verified token, as the wire returns it. */
export type ProofType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'sms'
  | 'phone_change'
  | 'credential'

/** The three parameters of a link in a mail. */
export interface FollowLinkInput {
  type: string
  token: string
  redirectTo?: string | undefined
}

/** A code with the address that it was sent to, or only the secret of a link. */
export interface VerifyOtpInput {
  /** The requested type; `email` accepts mailed codes of all types. */
  type: ProofType | 'email'
  /** The code. */
  token?: string | undefined
  /** With a code, exactly one of `email` and `phone`. */
  email?: string | undefined
  phone?: string | undefined
  /** The secret of a link, in place of a code: the `token` of the link. */
  tokenHash?: string | undefined
  /**
   * Becomes the password of a user who has none, and whose first address this request confirms.
   * Rejected for other users without one; ignored for users with one.
   */
  password?: string | undefined
}

const linkTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
  'credential',
] as const satisfies VerifyOtpInput['type'][]

export const followLinkEndpoint = {
  method: 'GET',
  path: '/verify',
  summary: 'Confirms an address by a mailed link, and redirects the browser with the result.',
  isOpenedByBrowsers: true,
  inCode: 'auth.api.followLink',
  guards: [anyone, limit('verify')],
  query: { type: required(oneOf(linkTypes)), token: required(Text), redirectTo: Text },
  // A page with a button, where the configuration requires one.
  answers: { 200: null, 303: null },
  errors: [],
  conditions: {
    validation_failed: 'for a link without type or token',
  },
  signInMethod: 'otp',
} as const satisfies Endpoint<FollowLinkInput>

const verificationTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
  'sms',
  'phone_change',
  'credential',
] as const satisfies VerifyOtpInput['type'][]

export const verifyEndpoint = {
  method: 'POST',
  path: '/verify',
  summary: "Exchanges a code or a link's secret for a session.",
  inCode: 'auth.api.verifyOtp',
  guards: [anyone, limit('verify')],
  body: fields({
    type: required(oneOf(verificationTypes)),
    token: Text,
    tokenHash: Text,
    email: Text,
    phone: Text,
    password: Text,
    // Rejected beside a secret.
    redirectTo: Text,
  }),
  answers: { 200: ['Session', 'HalfConfirmed'], 303: null },
  errors: [
    ...hookErrors,
    'email_exists',
    'otp_expired',
    'phone_exists',
    'user_banned',
    'weak_password',
  ],
  conditions: {
    otp_expired: 'for an unknown, used or expired secret',
    validation_failed: 'also (422) for a password that this sign-in cannot set',
  },
  signInMethod: 'otp',
} as const satisfies Endpoint<VerifyOtpInput & { redirectTo?: string }>
