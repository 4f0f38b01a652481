import {
  Flag,
  fields,
  Metadata,
  oneOf,
  required,
  Text,
  wireNamed,
} from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

/** Types of links that an operator can generate. */
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
  /** `magiclink` for an unknown address generates a link of type `signup`. */
  type: GeneratedLinkType
  /** The user's present address. */
  email: string
  /** The requested address, with the two types of a change of email. */
  newEmail?: string | undefined
  /** Required with `signup` for a new user. */
  password?: string | undefined
  /**
   * The metadata of a new user, or of one with a reclaimable account, with `signup` and `invite`.
   */
  data?: Record<string, unknown> | undefined
  /** The redirect target of the link. Default: the site URL. */
  redirectTo?: string | undefined
  /** The audience of the user. Default: that of the service. */
  audience?: string | undefined
  /** Whether the link is mailed as well. Default false. */
  sendEmail?: boolean | undefined
}

export const generateLinkEndpoint = {
  method: 'POST',
  path: '/admin/generate_link',
  summary: 'Generates a link like that of a mail.',
  inCode: 'auth.admin.generateLink',
  guards: [operator],
  query: { redirectTo: Text },
  body: fields({
    type: required(oneOf(generatedLinkTypes)),
    email: required(Text),
    newEmail: Text,
    password: Text,
    data: Metadata,
    // Takes precedence over the query parameter.
    redirectTo: Text,
    audience: wireNamed('aud', Text),
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
