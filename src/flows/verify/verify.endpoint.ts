import { type Endpoint, hookErrors } from '../../http/endpoint.ts'
import { fields, oneOf, required, Text } from '../../http/inputs.ts'

/** What a proof turns out to be for; the wire answers it. */
export type ProofType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'sms'
  | 'phone_change'

/** The three parameters of a link in a mail. */
export interface FollowLinkInput {
  type: string
  token: string
  redirectTo?: string | undefined
}

/** A code with the address that it was sent to, or the secret of a link alone. */
export interface VerifyOtpInput {
  /** What was asked for; `email` stands for whatever the mail was about. */
  type: ProofType | 'email'
  /** The code. */
  token?: string | undefined
  /** With a code, exactly one of the two. */
  email?: string | undefined
  phone?: string | undefined
  /** The secret of a link, in place of a code: what the link has as its `token`. */
  tokenHash?: string | undefined
  /** Becomes the password of a user who has none. */
  password?: string | undefined
}

const linkTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
] as const satisfies VerifyOtpInput['type'][]

export const followLinkEndpoint = {
  method: 'GET',
  path: '/verify',
  summary: 'Proves an address by a mailed link, and sends the browser on with what came of it.',
  caller: 'anyone',
  limit: 'verify',
  query: { type: required(oneOf(linkTypes)), token: required(Text), redirectTo: Text },
  // A page with a button, where the configuration asks for one.
  answers: { 200: null, 303: null },
  errors: [],
} as const satisfies Endpoint<FollowLinkInput>

const proofTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
  'sms',
  'phone_change',
] as const satisfies VerifyOtpInput['type'][]

export const verifyEndpoint = {
  method: 'POST',
  path: '/verify',
  summary: "Trades a code or a link's secret for a session.",
  caller: 'anyone',
  limit: 'verify',
  body: fields({
    type: required(oneOf(proofTypes)),
    token: Text,
    tokenHash: Text,
    email: Text,
    phone: Text,
    password: Text,
    // Refused beside a secret.
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
} as const satisfies Endpoint<VerifyOtpInput & { redirectTo?: string }>
