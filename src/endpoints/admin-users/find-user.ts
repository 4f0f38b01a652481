import type { AuthContext } from '../../accounts/auth-context.ts'
import { emailToFind, phoneToFind } from '../../accounts/users/addresses.ts'
import { findByAddress, findById, findByIdentity } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { findUsernameOwner } from '../../accounts/users/usernames.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { isUuid } from '../../platform/kit/uuid.ts'

/** The unique property that identifies a user, not validated yet. */
export interface UnvalidatedLookUp {
  id?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  username?: string | undefined
  /** The audience of the user name. Default: that of the call. */
  audience?: string | undefined
  identity?: Record<string, unknown> | undefined
}

/**
 * Finds the user with this id, address or identity, in any audience; null when there is none. Users
 * of single sign-on are not found by address, because several may have the same.
 *
 * @throws AuthError `validation_failed` unless exactly one of these is given, and (404) for an
 *   invalid UUID.
 */
export async function findUser(ctx: AuthContext, lookUp: UnvalidatedLookUp): Promise<User | null> {
  const { id, email, phone, username, identity } = lookUp
  if ([id, email, phone, username, identity].filter((value) => value !== undefined).length !== 1) {
    throw validationFailed('id: one of id, email, phone, username and identity has to be given')
  }
  if (identity !== undefined) return findByIdentity(ctx.sql, readIdentity(identity))
  if (username !== undefined) return findByUsername(ctx, username, lookUp.audience)
  if (id !== undefined) return (await findById(ctx.sql, requireUserId(id)))?.user ?? null
  const address = email === undefined ? phoneToFind(phone ?? '') : emailToFind(email)
  return (await findByAddress(ctx.sql, address, null))?.user ?? null
}

async function findByUsername(
  { sql, request }: AuthContext,
  username: string,
  audience = request.audience,
): Promise<User | null> {
  const id = await findUsernameOwner(sql, requireShort(audience, 'audience'), username)
  return id === null ? null : ((await findById(sql, id))?.user ?? null)
}

function readIdentity({ provider, subject }: Record<string, unknown>) {
  if (typeof provider === 'string' && typeof subject === 'string') return { provider, subject }
  throw validationFailed('identity: provider and subject have to be strings')
}

/**
 * @throws AuthError `validation_failed` (404) for an invalid UUID.
 */
export function requireUserId(userId: string): string {
  if (!isUuid(userId)) throw validationFailed('user_id must be an UUID', 404)
  return userId.toLowerCase()
}

/**
 * Returns the user with this id, also a soft-deleted one.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404).
 */
export async function requireUserById(ctx: AuthContext, userId: string): Promise<User> {
  const found = await findById(ctx.sql, requireUserId(userId))
  if (!found) throw userNotFound()
  return found.user
}
