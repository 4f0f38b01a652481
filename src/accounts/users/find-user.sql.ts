import { isUuid } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { selection, type TableFragments } from '../../platform/sql/tables.ts'
import type { Address } from './addresses.ts'
import { isFoundByAddress } from './found-by-address.sql.ts'
import { type SignUpOrigin, type SignUpOriginRow, toSignUpOrigin } from './sign-up-origin.ts'
import type { User } from './user.ts'
import { toUser, type UserRow, userExpression } from './user-row.ts'

/** An account with its password hash. */
export interface UserWithPassword {
  user: User
  passwordHash: string | null
}

/**
 * An account as read at one moment. Each update increases the version, which shows whether the
 * account has changed since.
 */
export interface StoredUser extends UserWithPassword {
  signUpOrigin: SignUpOrigin | null
  version: number
}

/** The columns that {@link storedUserColumns} selects. */
export interface StoredUserColumns extends SignUpOriginRow {
  user: UserRow
  password_hash: string | null
  version: number
}

/**
 * Returns the columns of a stored account.
 *
 * @param user the alias of the table in the statement around them.
 * @param registeredBy the column `registered_by`.
 */
export const storedColumns = (sql: TableFragments, user: string, registeredBy: string): string =>
  `${userExpression(sql, user)} as user, ${user}.password_hash,
    ${registeredBy}, ${user}.registered_from, ${user}.registered_keys,
    ${user}.version`

/** {@link storedColumns} with the stored `registered_by`. */
export const storedUserColumns = selection<StoredUserColumns>((sql, user) =>
  storedColumns(sql, user, `${user}.registered_by`),
)

/** {@link storedUserColumns} as a single JSON value, for a statement of another folder. */
export const storedUserExpression = selection<StoredUserColumns>(
  (sql, user) =>
    `(select row_to_json(stored) from (select ${storedUserColumns(sql, user)}) stored)`,
)

const findBy = (kind: Address['kind']) =>
  statement<{ address: string; audience: string | null }, StoredUserColumns>(
    `find_user_by_${kind}`,
    (sql, $) => `
      select ${storedUserColumns(sql, 'u')}
      from ${sql.table('users')} u
      where u.${kind} = ${$.address} and (${$.audience}::text is null or u.audience = ${$.audience})
        and ${isFoundByAddress('u')}`,
  )

const findUserBy = { email: findBy('email'), phone: findBy('phone') }

/**
 * Returns the user with this address. Users of single sign-on are not found by address.
 *
 * @param audience the audience of the user; null for any, since an address belongs to at most one
 *   user.
 */
export async function findByAddress(
  sql: Queryable,
  { kind, value }: Address,
  audience: string | null,
): Promise<StoredUser | null> {
  const [row] = await sql.query(findUserBy[kind], { address: value, audience })
  return row ? toStoredUser(row) : null
}

const findUserById = statement<{ userId: string }, StoredUserColumns>(
  'find_user_by_id',
  (sql, $) => `
    select ${storedUserColumns(sql, 'u')}
    from ${sql.table('users')} u where u.id = ${$.userId}`,
)

/** Returns the user with this id, including deleted ones. */
export async function findById(sql: Queryable, userId: string): Promise<StoredUser | null> {
  const [row] = await sql.query(findUserById, { userId })
  return row ? toStoredUser(row) : null
}

export const toStoredUser = (row: StoredUserColumns): StoredUser => ({
  user: toUser(row.user),
  passwordHash: row.password_hash,
  signUpOrigin: toSignUpOrigin(row),
  version: row.version,
})

const find = statement<{ provider: string; subject: string }, { user: UserRow }>(
  'find_user_by_identity',
  (sql, $) => `
    select ${userExpression(sql, 'u')} as user
    from ${sql.table('identities')} own join ${sql.table('users')} u on u.id = own.user_id
    where own.provider = ${$.provider} and own.subject = ${$.subject} and own.provider <> 'email'`,
)

const findByOwnProvider = statement<{ userId: string }, { user: UserRow }>(
  'find_user_by_email_identity',
  (sql, $) => `
    select ${userExpression(sql, 'u')} as user
    from ${sql.table('identities')} own join ${sql.table('users')} u on u.id = own.user_id
    where own.user_id = ${$.userId} and own.provider = 'email' and own.subject = own.user_id::text`,
)

/**
 * Returns the user with this account at a provider; null without one. The subject of `email`, whose
 * provider is Latchkey itself, is the user's id.
 */
export async function findByIdentity(
  sql: Queryable,
  { provider, subject }: { provider: string; subject: string },
): Promise<User | null> {
  const rows =
    provider === 'email'
      ? findByEmailIdentity(sql, subject)
      : sql.query(find, { provider, subject })
  const [row] = await rows
  return row ? toUser(row.user) : null
}

const findByEmailIdentity = async (
  sql: Queryable,
  subject: string,
): Promise<{ user: UserRow }[]> =>
  isUuid(subject) ? sql.query(findByOwnProvider, { userId: subject }) : []

const lock = statement<{ userId: string }>(
  'lock_user',
  (sql, $) => `select id from ${sql.table('users')} where id = ${$.userId} for update`,
)

/** Locks a user, if the user exists, until the transaction ends. */
export async function lockUser(sql: Queryable, userId: string): Promise<void> {
  await sql.query(lock, { userId })
}
