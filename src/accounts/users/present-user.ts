import { factorKinds, presentedFactorTypes } from '../../platform/factor-kinds/factor-kinds.ts'
import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import { wireInstant } from '../../platform/kit/time-formats.ts'
import { emailInClaims } from './email-in-claims.ts'
import { type Factor, isRecoveryCodes, type User } from './user.ts'
import { shownColumns } from './user-columns.ts'
import { type FactorRow, type IdentityRow, toFactor, toUserRow, type UserRow } from './user-row.ts'

/** Builds the wire form of a user. */
export const presentUser = (user: User): Record<string, unknown> => presentUserRow(toUserRow(user))

/**
 * Builds the wire form of a user as read from the database. Its instants are text already: to
 * convert them to dates and back takes a tenth of a request's time. Absent values are undefined,
 * which JSON omits.
 */
export const presentUserRow = (user: UserRow): Record<string, unknown> => ({
  id: user.id,
  aud: user.audience,
  role: user.role,
  email: user.email ?? '',
  email_confirmed_at: instantIn(user.email_confirmed_at),
  invited_at: instantIn(user.invited_at),
  phone: user.phone ?? '',
  phone_confirmed_at: instantIn(user.phone_confirmed_at),
  confirmation_sent_at: instantIn(user.confirmation_sent_at),
  confirmed_at: confirmedAt(user),
  recovery_sent_at: instantIn(user.recovery_sent_at),
  new_email: user.new_email ?? undefined,
  email_change_sent_at: instantIn(user.email_change_sent_at),
  new_phone: user.new_phone ?? undefined,
  phone_change_sent_at: instantIn(user.phone_change_sent_at),
  reauthentication_sent_at: instantIn(user.reauthentication_sent_at),
  last_sign_in_at: instantIn(user.last_sign_in_at),
  app_metadata: user.app_metadata,
  user_metadata: user.user_metadata,
  factors: presentFactors(user.factors),
  identities: user.identities.map(presentIdentity),
  created_at: wireInstant(user.created_at),
  updated_at: wireInstant(user.updated_at),
  banned_until: instantIn(user.banned_until),
  deleted_at: instantIn(user.deleted_at),
  is_anonymous: user.is_anonymous,
  ...presentShown(user),
})

const shownNames = Object.keys(shownColumns) as (keyof typeof shownColumns)[]

function presentShown(user: UserRow): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const name of shownNames) shown[name] = user[name] ?? undefined
  return shown
}

/**
 * Returns a user's factors, without the recovery codes. Older clients fail on this type, and no
 * request header distinguishes them.
 */
function presentFactors(rows: readonly FactorRow[]): Record<string, unknown>[] | undefined {
  const factors = rows.map(toFactor).filter((factor) => !isRecoveryCodes(factor))
  return factors.length === 0 ? undefined : factors.map(presentFactor)
}

const presentIdentity = (identity: IdentityRow): Record<string, unknown> => ({
  identity_id: identity.id,
  id: identity.subject,
  user_id: identity.user_id,
  identity_data: identity.identity_data,
  provider: identity.provider,
  last_sign_in_at: instantIn(identity.last_sign_in_at),
  suspended_at: instantIn(identity.suspended_at),
  created_at: wireInstant(identity.created_at),
  updated_at: wireInstant(identity.updated_at),
  email: emailInClaims(identity.identity_data) ?? undefined,
})

/** Returns the time of the first confirmed address. Two instants on the wire compare as text. */
function confirmedAt(user: UserRow): string | undefined {
  const email = instantIn(user.email_confirmed_at)
  const phone = instantIn(user.phone_confirmed_at)
  if (email === undefined || phone === undefined) return email ?? phone
  return email < phone ? email : phone
}

const instantIn = (text: string | null): string | undefined =>
  text === null ? undefined : wireInstant(text)

export const identitySchema = {
  type: 'object',
  properties: {
    identity_id: { type: 'string', format: 'uuid' },
    id: { type: 'string', description: 'Who the user is at the provider.' },
    user_id: { type: 'string', format: 'uuid' },
    identity_data: { type: 'object' },
    provider: { type: 'string' },
    last_sign_in_at: instant,
    suspended_at: instant,
    created_at: instant,
    updated_at: instant,
    email: { type: 'string' },
  },
  required: [
    'identity_id',
    'id',
    'user_id',
    'identity_data',
    'provider',
    'created_at',
    'updated_at',
  ],
  additionalProperties: false,
} as const satisfies JsonSchema

export const userSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    aud: { type: 'string' },
    role: { type: 'string' },
    email: { type: 'string', description: 'Empty where there is none.' },
    email_confirmed_at: instant,
    invited_at: instant,
    phone: { type: 'string', description: 'The digits of E.164; empty where there is none.' },
    phone_confirmed_at: instant,
    confirmation_sent_at: instant,
    confirmed_at: instant,
    recovery_sent_at: instant,
    new_email: { type: 'string' },
    email_change_sent_at: instant,
    new_phone: { type: 'string' },
    phone_change_sent_at: instant,
    reauthentication_sent_at: instant,
    last_sign_in_at: instant,
    app_metadata: { type: 'object' },
    user_metadata: { type: 'object' },
    factors: { type: 'array', items: { $ref: '#/components/schemas/Factor' } },
    identities: { type: 'array', items: { $ref: '#/components/schemas/Identity' } },
    created_at: instant,
    updated_at: instant,
    banned_until: instant,
    deleted_at: instant,
    is_anonymous: { type: 'boolean' },
    ...shownColumns,
  },
  required: [
    'id',
    'aud',
    'role',
    'email',
    'phone',
    'app_metadata',
    'user_metadata',
    'identities',
    'created_at',
    'updated_at',
    'is_anonymous',
  ],
  additionalProperties: false,
} as const satisfies JsonSchema

/**
 * Builds the wire form of a factor, in which only the time of a challenge may be null. A kind that
 * clients do not know is presented as another one, with its channel.
 */
export const presentFactor = (factor: Factor): Record<string, unknown> => ({
  id: factor.id,
  created_at: factor.createdAt,
  updated_at: factor.updatedAt,
  status: factor.status,
  friendly_name: factor.friendlyName ?? undefined,
  ...presentType(factor),
  last_challenged_at: factor.lastChallengedAt,
  web_authn_aaguid: factor.webAuthnAaguid ?? undefined,
})

function presentType({ factorType, phone }: Factor): Record<string, unknown> {
  const presented = factorType === 'recovery_code' ? null : factorKinds[factorType].presentedAs
  if (!presented) return { factor_type: factorType, phone: phone ?? '' }
  return { factor_type: presented.factorType, channel: presented.channel }
}

export const factorSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    created_at: instant,
    updated_at: instant,
    status: { type: 'string', enum: ['unverified', 'verified'] },
    friendly_name: { type: 'string' },
    factor_type: { type: 'string', enum: [...presentedFactorTypes, 'recovery_code'] },
    channel: {
      type: 'string',
      description: 'The carrier of the codes, where the kind is presented as another one.',
    },
    phone: {
      type: 'string',
      description: 'The digits of E.164; empty unless it is a phone. Absent with `channel`.',
    },
    last_challenged_at: { type: ['string', 'null'], format: 'date-time' },
    web_authn_aaguid: { type: 'string', format: 'uuid' },
  },
  required: ['id', 'created_at', 'updated_at', 'status', 'factor_type', 'last_challenged_at'],
  additionalProperties: false,
} as const satisfies JsonSchema
