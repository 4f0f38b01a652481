import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { changeUser } from '../../accounts/lifecycle/change-user.ts'
import {
  approveNewUser,
  createUser,
  signedUpBy,
  type UserToCreate,
} from '../../accounts/lifecycle/create-user.ts'
import { releaseUnconfirmedAddresses } from '../../accounts/lifecycle/release-unconfirmed-addresses.ts'
import { readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { requireFreeAddresses } from '../../accounts/users/find-owners.sql.ts'
import { findByAddress, findById, type StoredUser } from '../../accounts/users/find-user.sql.ts'
import { isReclaimable, keepsAddress } from '../../accounts/users/kept-address.ts'
import { requireMetadataFits } from '../../accounts/users/metadata.ts'
import {
  type Approval,
  type NewAddress,
  newUser,
  readUserId,
} from '../../accounts/users/new-user.ts'
import { readBan } from '../../accounts/users/read-ban.ts'
import { hasConfirmedAddress, type User } from '../../accounts/users/user.ts'
import { userIdExists } from '../../accounts/users/user-errors.ts'
import { readGivenUsername } from '../../accounts/users/username.ts'
import { requireFreeUsername } from '../../accounts/users/usernames.sql.ts'
import { operatorPriority } from '../../credentials/passwords/gate.ts'
import { requireImportableHash } from '../../credentials/passwords/hash-schemes.ts'
import { requireHashablePassword } from '../../credentials/passwords/password-policy.ts'
import { conflict, validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { CreateUserInput } from './admin-users.endpoint.ts'

/** A new user with credentials. */
interface CreationOrder {
  input: CreateUserInput
  user: User
  passwordHash: string | null
  /** The application's decision about the user. */
  approval: Promise<Approval>
}

/**
 * Creates a user on behalf of an operator. No message is sent, and the password policy does not
 * apply. Without a password the user has none.
 *
 * A reclaimable account with the address is replaced: the new user takes its id, so that links that
 * were sent to the address open the new account. Where the operator supplies another id, and for
 * the second of two addresses, the reclaimable account is deleted.
 *
 * @throws AuthError the errors of `approveNewUser`, `validation_failed` (400, or 422 for metadata
 *   that is too large), `email_exists`, `phone_exists`, `username_exists`, `user_already_exists`
 *   (422).
 */
export async function createUserAsOperator(
  ctx: AuthContext,
  admin: Admin,
  input: CreateUserInput,
): Promise<User> {
  const user = readAccount(ctx, input, input.id ? readUserId(input.id) : null)
  requireMetadataFits(ctx.config, user)
  const passwordHash = await readPasswordHash(ctx, input)
  const approval = approveNewUser(ctx, user)
  await approval
  const order = { input, user, passwordHash, approval }
  const isCreated = await createUser(ctx, operatorsUser(admin, order))
  return isCreated ? user : takePlace(ctx, admin, order)
}

function readAccount(ctx: AuthContext, input: CreateUserInput, id: string | null): User {
  const now = ctx.clock.now()
  const user = newUser(
    { random: ctx.random, now },
    {
      ...(id !== null && { id }),
      addresses: readAddresses(input),
      audience: requireShort(input.audience ?? '', 'aud') || ctx.request.audience,
      role: requireShort(input.role?.trim() ?? '', 'role') || ctx.config.jwt.defaultRole,
      appMetadata: input.appMetadata ?? {},
      userMetadata: readUserMetadata(input),
      username: readGivenUsername(ctx, input.username),
    },
  )
  return { ...user, bannedUntil: readBan(input.banDuration, now) ?? null }
}

const operatorsUser = (
  admin: Admin,
  { user, passwordHash, approval }: CreationOrder,
): UserToCreate => ({
  user,
  passwordHash,
  approval,
  signUpOrigin: null,
  audit: signedUpBy(admin, user),
})

/**
 * Creates the user in place of reclaimable accounts with its addresses, or rejects addresses that
 * another account keeps.
 */
async function takePlace(ctx: AuthContext, admin: Admin, made: CreationOrder): Promise<User> {
  const { input, user } = made
  await requireFreeAddresses(ctx, nothing, user)
  await requireFreeUsername(ctx.sql, user)
  const holder =
    (user.email && (await findByAddress(ctx.sql, emailOf(user.email), null))) ||
    (user.phone && (await findByAddress(ctx.sql, phoneOf(user.phone), null))) ||
    null
  const isReplaced = holder && !releases(holder, user, ctx.clock.now())
  if (isReplaced && (!input.id || holder.user.id === user.id)) {
    return takeOver(ctx, admin, made, holder.user.id)
  }
  if (await findById(ctx.sql, user.id)) throw userIdExists()
  return makeInstead(ctx, admin, made)
}

/**
 * Whether the account keeps another, confirmed address, and loses the one that the new user gets.
 */
const releases = (holder: StoredUser, { email }: User, now: Date): boolean =>
  hasConfirmedAddress(holder.user) &&
  !keepsAddress(holder, email !== null && holder.user.email === email ? 'email' : 'phone', now)

/** A new user has no address yet. */
const nothing = {}

const emailOf = (value: string) => ({ kind: 'email', value }) as const
const phoneOf = (value: string) => ({ kind: 'phone', value }) as const

/** Replaces an account by the new user, who keeps its id and the messages sent to its address. */
async function takeOver(
  ctx: AuthContext,
  admin: Admin,
  { input, passwordHash }: CreationOrder,
  userId: string,
): Promise<User> {
  const user = readAccount(ctx, input, userId)
  const stored = await withLockedUser(ctx, userId, async (tx) => {
    const before = await findById(tx.sql, userId)
    if (!before || !isReclaimable(before, ctx.clock.now())) return null
    const after = withIdentitiesOf(user, before.user)
    return changeUser(tx, {
      before,
      after,
      changedBy: 'replacement',
      passwordHash,
      audit: signedUpBy(admin, user),
      releasesBy: { actorRole: admin.role },
      signUpOrigin: null,
      causes: ['reclaimed'],
    })
  })
  if (!stored) {
    await requireFreeAddresses(ctx, nothing, user)
    throw conflict('Another request was faster')
  }
  return stored
}

/** Keeps the ids of stored identities, because a user has one for each kind of address. */
const withIdentitiesOf = (user: User, before: User): User => ({
  ...user,
  identities: user.identities.map((identity) => {
    const known = before.identities.find(({ provider }) => provider === identity.provider)
    return known ? { ...identity, id: known.id, createdAt: known.createdAt } : identity
  }),
})

/** Creates the user with the operator's id, after reclaimable accounts are deleted. */
async function makeInstead(ctx: AuthContext, admin: Admin, order: CreationOrder): Promise<User> {
  const { user } = order
  await ctx.transaction(async (tx) => {
    await releaseUnconfirmedAddresses(tx, [user], { actorRole: admin.role })
    const isCreated = await createUser(tx, operatorsUser(admin, order))
    if (!isCreated) throw conflict('Another request was faster')
  })
  return user
}

function readAddresses({
  email,
  phone,
  emailConfirm,
  phoneConfirm,
}: CreateUserInput): NewAddress[] {
  const addresses: NewAddress[] = []
  if (email) addresses.push({ ...readEmail(email), confirmed: emailConfirm ?? false })
  if (phone) addresses.push({ ...readPhone(phone), confirmed: phoneConfirm ?? false })
  if (addresses.length > 0) return addresses
  throw validationFailed('email: Cannot create a user without either an email or phone')
}

/** A confirmed address is recorded in the metadata, as after a confirmation by the user. */
const readUserMetadata = ({ userMetadata, email, emailConfirm }: CreateUserInput) => ({
  ...userMetadata,
  ...(email && emailConfirm && { email_verified: true }),
})

async function readPasswordHash(ctx: AuthContext, input: CreateUserInput): Promise<string | null> {
  const { password, passwordHash } = input
  if (password !== undefined && passwordHash) {
    throw validationFailed('password: Only a password or a password hash should be provided')
  }
  if (passwordHash) {
    const importable = requireImportableHash(passwordHash)
    void ctx.passwords.learn(async () => [importable])
    return importable
  }
  if (!password) return null
  requireHashablePassword(password)
  return ctx.passwords.hash(password, operatorPriority(ctx))
}
