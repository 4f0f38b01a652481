import { Flag, fields, Metadata, oneOf, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

/** What links can be made for. */
export const generatedLinkTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const

export type GeneratedLinkType = (typeof generatedLinkTypes)[number]

export interface GenerateLinkInput {
  /** `magiclink` for an address that nobody has makes a link of type `signup`. */
  type: GeneratedLinkType
  /** The user's address at present. */
  email: string
  /** With the two types of a change of email: the address that is to be. */
  newEmail?: string | undefined
  /** With `signup`: needed for a new user. */
  password?: string | undefined
  /** With `signup` and `invite`: the metadata of a user who is new, or whom only strangers registered. */
  data?: Record<string, unknown> | undefined
  /** Where the link ends. Default: the site. */
  redirectTo?: string | undefined
  /** Whether a mail with the link goes out as well. Default false. */
  sendEmail?: boolean | undefined
}

export const generateLinkEndpoint = {
  method: 'POST',
  path: '/admin/generate_link',
  summary: 'Makes a link as a mail would carry it.',
  inCode: 'auth.admin.generateLink',
  guards: [operator],
  query: { redirectTo: Text },
  body: fields({
    type: required(oneOf(generatedLinkTypes)),
    email: required(Text),
    newEmail: Text,
    password: Text,
    data: Metadata,
    // Counts before the parameter of the query.
    redirectTo: Text,
    sendEmail: Flag,
  }),
  answers: { 200: 'GeneratedLink' },
  errors: [
    ...hookErrors,
    'conflict',
    'email_address_invalid',
    'email_address_not_authorized',
    'email_exists',
    'over_email_send_rate_limit',
    'reauthentication_needed',
    'signup_disabled',
    'user_not_found',
    'weak_password',
  ],
  conditions: {
    email_exists: 'for a confirmed address',
  },
} as const satisfies Endpoint<GenerateLinkInput>
