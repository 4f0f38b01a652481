import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import { storedInstant } from '../../platform/kit/time-formats.ts'
import type { CamelCase } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { type NewRow, selection } from '../../platform/sql/tables.ts'
import { emailInClaims } from './email-in-claims.ts'
import type { IdentityEntity } from './identity.entity.ts'
import { type SignUpOrigin, toSignUpOriginRow } from './sign-up-origin.ts'
import type { Factor, Identity, User } from './user.ts'
import {
  type ColumnsWith,
  columnsWith,
  type ReadColumn,
  type StoredUserRow,
} from './user-columns.ts'
import { holdsUsername, usernameKey } from './username.ts'

/**
 * The record of `users` as PostgreSQL writes it in JSON, with the rows of `identities` and
 * `factors`.
 */
export interface UserRow extends UserColumns {
  identities: IdentityRow[]
  factors: FactorRow[]
}

export type UserColumns = Pick<StoredUserRow, ReadColumn>

export type IdentityRow = RowOf<IdentityEntity>

/** A row of `factors`, without the data that proves the factor. */
export interface FactorRow {
  id: string
  factor_type: FactorType
  status: Factor['status']
  friendly_name: string | null
  phone: string | null
  last_challenged_at: string | null
  web_authn_aaguid: string | null
  added_without_proof_at: string | null
  created_at: string
  updated_at: string
}

/** The meanings of `email_change_confirm_status`, by its number. */
const confirmedBy: readonly User['emailChangeConfirmedBy'][] = [null, 'current', 'new']

const factorColumns: Record<keyof FactorRow, true> = {
  id: true,
  factor_type: true,
  status: true,
  friendly_name: true,
  phone: true,
  last_challenged_at: true,
  web_authn_aaguid: true,
  added_without_proof_at: true,
  created_at: true,
  updated_at: true,
}

/** Returns pairs for `json_build_object`. */
const pairs = (row: string, columns: readonly string[]): string =>
  columns.map((name) => `'${name}', ${row}.${name}`).join(', ')

const readColumns = columnsWith('instant', 'value', 'mapped')

/**
 * An expression for one user as a single JSON value: one row contains a user with all identities
 * and factors. `user` is the alias of the table in the statement around it.
 *
 * The type is `json`, which is text: `jsonb` is parsed and composed again at each step, which would
 * be half of the statement's cost.
 */
export const userExpression = selection<UserRow>(
  (sql, user) => `json_build_object(${pairs(user, readColumns)}, 'identities', coalesce((
    select json_agg(row_to_json(i) order by i.created_at, i.provider, i.id)
    from ${sql.table('identities')} i where i.user_id = ${user}.id), '[]'), 'factors', coalesce((
    select json_agg(json_build_object(${pairs('f', Object.keys(factorColumns))}) order by f.created_at, f.id)
    from ${sql.table('factors')} f where f.user_id = ${user}.id), '[]'))`,
)

/** Returns the properties of a user that tokens contain. */
export const tokenUser = (row: UserRow) => ({
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

/** The fields of `User` that are columns, under the names of their columns in camelCase. */
type UserFields = {
  [column in ColumnsWith<'instant'> as CamelCase<column>]: Date | Extract<UserColumns[column], null>
} & { [column in ColumnsWith<'value'> as CamelCase<column>]: UserColumns[column] }

const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const named = <Column extends string>(columns: readonly Column[]) =>
  columns.map((column) => [column, camelCase(column)] as const)

const instants = named(columnsWith('instant'))
const values = named(columnsWith('value'))

export const toUser = (row: UserRow): User => ({
  ...toFields(row),
  emailChangeConfirmedBy: confirmedBy[row.email_change_confirm_status] ?? null,
  identities: row.identities.map(toIdentity),
  factors: row.factors.map(toFactor),
})

function toFields(row: UserRow): UserFields {
  const fields: Record<string, unknown> = {}
  for (const [column, field] of values) fields[field] = row[column]
  for (const [column, field] of instants) fields[field] = toDate(row[column])
  return fields as UserFields
}

const toIdentity = (row: IdentityRow): Identity => ({
  id: row.id,
  subject: row.subject,
  userId: row.user_id,
  provider: row.provider,
  identityData: row.identity_data,
  lastSignInAt: toDate(row.last_sign_in_at),
  suspendedAt: toDate(row.suspended_at),
  createdAt: storedInstant(row.created_at),
  updatedAt: storedInstant(row.updated_at),
})

export const toFactor = (row: FactorRow): Factor => ({
  id: row.id,
  factorType: row.factor_type,
  status: row.status,
  friendlyName: row.friendly_name,
  phone: row.phone,
  lastChallengedAt: toDate(row.last_challenged_at),
  webAuthnAaguid: row.web_authn_aaguid,
  addedWithoutProofAt: toDate(row.added_without_proof_at),
  createdAt: storedInstant(row.created_at),
  updatedAt: storedInstant(row.updated_at),
})

const toDate = (text: string | null): Date | null => (text === null ? null : storedInstant(text))

/** Returns an account as rows. */
export const toUserRow = (user: User): UserRow => ({
  ...toUserColumns(user),
  identities: user.identities.map(toIdentityRow),
  factors: user.factors.map(toFactorRow),
})

/**
 * Returns the rows for a new account. An update of an existing one increases the version itself.
 */
export const toRows = (
  user: User,
  passwordHash: string | null,
  signUpOrigin: SignUpOrigin | null,
): { row: NewRow<'users'>; identities: IdentityRow[] } => ({
  row: {
    ...toUserColumns(user),
    password_hash: passwordHash,
    username_key: usernameKeyOf(user, signUpOrigin),
    ...toSignUpOriginRow(signUpOrigin),
    version: 1,
  },
  identities: user.identities.map(toIdentityRow),
})

/** Returns the key of a name that the user holds; null otherwise. */
const usernameKeyOf = (user: User, signUpOrigin: SignUpOrigin | null): string | null =>
  user.username !== null && holdsUsername(user, signUpOrigin) ? usernameKey(user.username) : null

function toUserColumns(user: User): UserColumns {
  // A field that the columns require and `User` lacks does not compile.
  const fields: UserFields & Record<string, unknown> = { ...user }
  const columns: Record<string, unknown> = {}
  for (const [column, field] of values) columns[column] = fields[field]
  for (const [column, field] of instants) columns[column] = toText(fields[field] as Date | null)
  columns.email_change_confirm_status = confirmedBy.indexOf(user.emailChangeConfirmedBy)
  return columns as unknown as UserColumns
}

const toIdentityRow = (identity: Identity): IdentityRow => ({
  id: identity.id,
  user_id: identity.userId,
  provider: identity.provider,
  subject: identity.subject,
  identity_data: identity.identityData,
  email: emailInClaims(identity.identityData),
  last_sign_in_at: toText(identity.lastSignInAt),
  suspended_at: toText(identity.suspendedAt),
  created_at: identity.createdAt.toISOString(),
  updated_at: identity.updatedAt.toISOString(),
})

const toFactorRow = (factor: Factor): FactorRow => ({
  id: factor.id,
  factor_type: factor.factorType,
  status: factor.status,
  friendly_name: factor.friendlyName,
  phone: factor.phone,
  last_challenged_at: toText(factor.lastChallengedAt),
  web_authn_aaguid: factor.webAuthnAaguid,
  added_without_proof_at: toText(factor.addedWithoutProofAt),
  created_at: factor.createdAt.toISOString(),
  updated_at: factor.updatedAt.toISOString(),
})

const toText = (instant: Date | null): string | null => instant?.toISOString() ?? null
