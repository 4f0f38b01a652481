import type { RowOf } from '../sql/row-of.ts'
import { selection } from '../sql/tables.ts'
import type { Identity as IdentityEntity } from './identity.entity.ts'
import { type Registration, type RegistrationRow, toRegistrationRow } from './registration.ts'
import type { User as UserEntity } from './user.entity.ts'
import type { Factor, FactorType, Identity, User } from './user.ts'

/** The record of `users` as PostgreSQL writes it in JSON, with the rows of `identities` and `factors`. */
export interface UserRow extends UserColumns {
  identities: IdentityRow[]
  factors: FactorRow[]
}

export type UserColumns = Omit<StoredUserRow, 'password_hash' | 'version' | keyof RegistrationRow>

/** The row with what nobody gets to see. */
export type StoredUserRow = RowOf<UserEntity>

export type IdentityRow = RowOf<IdentityEntity>

/** A row of `factors`, without what proves the factor. */
export interface FactorRow {
  id: string
  factor_type: FactorType
  status: Factor['status']
  friendly_name: string | null
  phone: string | null
  last_challenged_at: string | null
  web_authn_aaguid: string | null
  created_at: string
  updated_at: string
}

/** What `email_change_confirm_status` stands for, by its number. */
const confirmedBy: readonly User['emailChangeConfirmedBy'][] = [null, 'current', 'new']

/** The columns that anybody gets to see: all but those with what proves a user or a factor. */
const userColumns: Record<keyof UserColumns, true> = {
  id: true,
  audience: true,
  role: true,
  email: true,
  phone: true,
  email_confirmed_at: true,
  phone_confirmed_at: true,
  invited_at: true,
  confirmation_sent_at: true,
  recovery_sent_at: true,
  reauthentication_sent_at: true,
  new_email: true,
  email_change_sent_at: true,
  email_change_confirm_status: true,
  new_phone: true,
  phone_change_sent_at: true,
  last_sign_in_at: true,
  app_metadata: true,
  user_metadata: true,
  is_anonymous: true,
  is_sso_user: true,
  banned_until: true,
  deleted_at: true,
  created_at: true,
  updated_at: true,
}
const factorColumns: Record<keyof FactorRow, true> = {
  id: true,
  factor_type: true,
  status: true,
  friendly_name: true,
  phone: true,
  last_challenged_at: true,
  web_authn_aaguid: true,
  created_at: true,
  updated_at: true,
}

/** Pairs for `json_build_object`. */
const pairs = (row: string, columns: object): string =>
  Object.keys(columns)
    .map((name) => `'${name}', ${row}.${name}`)
    .join(', ')

/**
 * An expression for one user as a single JSON value, so that a user with all identities and factors
 * comes in one row. `user` is the alias of the table in the statement around it.
 *
 * It is of the type `json`, which is text: `jsonb` is taken apart and put together again at each step,
 * and would be half of what the statement costs.
 */
export const userExpression = selection<UserRow>(
  (sql, user) => `json_build_object(${pairs(user, userColumns)}, 'identities', coalesce((
    select json_agg(row_to_json(i) order by i.created_at, i.provider, i.id)
    from ${sql.table('identities')} i where i.user_id = ${user}.id), '[]'), 'factors', coalesce((
    select json_agg(json_build_object(${pairs('f', factorColumns)}) order by f.created_at, f.id)
    from ${sql.table('factors')} f where f.user_id = ${user}.id), '[]'))`,
)

/** What of a user says whether they may come in. */
export const banOf = ({
  banned_until,
}: Pick<UserColumns, 'banned_until'>): Pick<User, 'bannedUntil'> => ({
  bannedUntil: toDate(banned_until),
})

/** What tokens say of a user. */
export const tokenHolder = (row: UserRow) => ({
  id: row.id,
  audience: row.audience,
  role: row.role,
  email: row.email,
  phone: row.phone,
  appMetadata: row.app_metadata,
  userMetadata: row.user_metadata,
  isAnonymous: row.is_anonymous,
  factors: row.factors,
})

export const toUser = (row: UserRow): User => ({
  id: row.id,
  audience: row.audience,
  role: row.role,
  email: row.email,
  phone: row.phone,
  emailConfirmedAt: toDate(row.email_confirmed_at),
  phoneConfirmedAt: toDate(row.phone_confirmed_at),
  invitedAt: toDate(row.invited_at),
  confirmationSentAt: toDate(row.confirmation_sent_at),
  recoverySentAt: toDate(row.recovery_sent_at),
  newEmail: row.new_email,
  emailChangeSentAt: toDate(row.email_change_sent_at),
  emailChangeConfirmedBy: confirmedBy[row.email_change_confirm_status] ?? null,
  newPhone: row.new_phone,
  phoneChangeSentAt: toDate(row.phone_change_sent_at),
  reauthenticationSentAt: toDate(row.reauthentication_sent_at),
  lastSignInAt: toDate(row.last_sign_in_at),
  appMetadata: row.app_metadata,
  userMetadata: row.user_metadata,
  isAnonymous: row.is_anonymous,
  isSsoUser: row.is_sso_user,
  bannedUntil: toDate(row.banned_until),
  deletedAt: toDate(row.deleted_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  identities: row.identities.map(toIdentity),
  factors: row.factors.map(toFactor),
})

const toIdentity = (row: IdentityRow): Identity => ({
  id: row.id,
  subject: row.subject,
  userId: row.user_id,
  provider: row.provider,
  identityData: row.identity_data,
  lastSignInAt: toDate(row.last_sign_in_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

export const toFactor = (row: FactorRow): Factor => ({
  id: row.id,
  factorType: row.factor_type,
  status: row.status,
  friendlyName: row.friendly_name,
  phone: row.phone,
  lastChallengedAt: toDate(row.last_challenged_at),
  webAuthnAaguid: row.web_authn_aaguid,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** The same account as rows. */
export const toUserRow = (user: User): UserRow => ({
  ...toUserColumns(user),
  identities: user.identities.map(toIdentityRow),
  factors: user.factors.map(toFactorRow),
})

/** The rows that a new account is stored in. Of one that is there already, an update counts the version up itself. */
export const toRows = (
  user: User,
  passwordHash: string | null,
  registration: Registration | null,
): { row: StoredUserRow; identities: IdentityRow[] } => ({
  row: {
    ...toUserColumns(user),
    password_hash: passwordHash,
    ...toRegistrationRow(registration),
    version: 1,
  },
  identities: user.identities.map(toIdentityRow),
})

const toUserColumns = (user: User): UserColumns => ({
  id: user.id,
  audience: user.audience,
  role: user.role,
  email: user.email,
  phone: user.phone,
  email_confirmed_at: toText(user.emailConfirmedAt),
  phone_confirmed_at: toText(user.phoneConfirmedAt),
  invited_at: toText(user.invitedAt),
  confirmation_sent_at: toText(user.confirmationSentAt),
  recovery_sent_at: toText(user.recoverySentAt),
  new_email: user.newEmail,
  email_change_sent_at: toText(user.emailChangeSentAt),
  email_change_confirm_status: confirmedBy.indexOf(user.emailChangeConfirmedBy),
  new_phone: user.newPhone,
  phone_change_sent_at: toText(user.phoneChangeSentAt),
  reauthentication_sent_at: toText(user.reauthenticationSentAt),
  last_sign_in_at: toText(user.lastSignInAt),
  app_metadata: user.appMetadata,
  user_metadata: user.userMetadata,
  is_anonymous: user.isAnonymous,
  is_sso_user: user.isSsoUser,
  banned_until: toText(user.bannedUntil),
  deleted_at: toText(user.deletedAt),
  created_at: user.createdAt.toISOString(),
  updated_at: user.updatedAt.toISOString(),
})

const toIdentityRow = (identity: Identity): IdentityRow => ({
  id: identity.id,
  user_id: identity.userId,
  provider: identity.provider,
  subject: identity.subject,
  identity_data: identity.identityData,
  email: emailOf(identity),
  last_sign_in_at: toText(identity.lastSignInAt),
  created_at: identity.createdAt.toISOString(),
  updated_at: identity.updatedAt.toISOString(),
})

/** The address that the provider knows, in the spelling that is compared. */
const emailOf = ({ identityData: { email } }: Identity): string | null =>
  typeof email === 'string' && email !== '' ? email.toLowerCase() : null

const toFactorRow = (factor: Factor): FactorRow => ({
  id: factor.id,
  factor_type: factor.factorType,
  status: factor.status,
  friendly_name: factor.friendlyName,
  phone: factor.phone,
  last_challenged_at: toText(factor.lastChallengedAt),
  web_authn_aaguid: factor.webAuthnAaguid,
  created_at: factor.createdAt.toISOString(),
  updated_at: factor.updatedAt.toISOString(),
})

const toText = (instant: Date | null): string | null => instant?.toISOString() ?? null
