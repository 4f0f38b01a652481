import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { conflict, validationFailed } from '../../errors/request-errors.ts'
import { requireShort } from '../../kit/storable-text.ts'
import { requireImportableHash } from '../../passwords/hash-schemes.ts'
import { requireHashablePassword } from '../../passwords/password-policy.ts'
import { approveNewcomer } from '../../steps/approve-newcomer.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { changeUser } from '../../steps/change-user.ts'
import { createUser, signedUpBy, type UserToCreate } from '../../steps/create-user.ts'
import { addressClaim, giveWay } from '../../steps/give-way.ts'
import { operatorsTurn } from '../../steps/hashing-turn.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findByAddress, findById } from '../../users/find-user.sql.ts'
import { requireMetadataFits } from '../../users/metadata.ts'
import { type NewAddress, newUser, readUserId } from '../../users/new-user.ts'
import { readBan } from '../../users/read-ban.ts'
import { givesWay } from '../../users/registration.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import type { User } from '../../users/user.ts'
import { userIdExists } from '../../users/user-errors.ts'
import type { CreateUserInput } from './admin-users.endpoint.ts'

/** A user who is to be, and what they sign in with. */
interface CreationOrder {
  input: CreateUserInput
  user: User
  passwordHash: string | null
  /** What the application says of the user. */
  approval: Promise<void>
}

/**
 * Makes a user in the name of an operator: no message goes out, and the rules for new passwords do
 * not hold. Without a password the user has none.
 *
 * An account that strangers registered, and nobody proved, keeps its address from no operator: the user takes its
 * place, under its id, so that links that were sent there lead to the user. Where the operator chose another id, and
 * for the second of two addresses, it is removed.
 *
 * @throws AuthError what `approveNewcomer` throws, `validation_failed` (400, or 422 for metadata that is too large), `email_exists`, `phone_exists`,
 *   `user_already_exists` (422).
 */
export async function createUserAsOperator(
  ctx: AuthContext,
  admin: Admin,
  input: CreateUserInput,
): Promise<User> {
  const user = readAccount(ctx, input, input.id ? readUserId(input.id) : null)
  requireMetadataFits(ctx.config, user)
  const passwordHash = await readPasswordHash(ctx, input)
  const approval = approveNewcomer(ctx, user)
  await approval
  const order = { input, user, passwordHash, approval }
  const note = await createUser(ctx, operatorsUser(admin, order))
  if (!note) return takePlace(ctx, admin, order)
  note.log()
  return user
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
  registration: null,
  events: [signedUpBy(admin, user)],
})

/** Makes the user whose addresses others hold, all of whom give way; else says who does not. */
async function takePlace(ctx: AuthContext, admin: Admin, made: CreationOrder): Promise<User> {
  const { input, user } = made
  await requireFreeAddresses(ctx.sql, nothing, user)
  const holder =
    (user.email && (await findByAddress(ctx.sql, emailOf(user.email), null))) ||
    (user.phone && (await findByAddress(ctx.sql, phoneOf(user.phone), null))) ||
    null
  if (holder && (!input.id || holder.user.id === user.id)) {
    return takeOver(ctx, admin, made, holder.user.id)
  }
  if (await findById(ctx.sql, user.id)) throw userIdExists()
  return makeInstead(ctx, admin, made)
}

/** A new user has no address yet. */
const nothing = {}

const emailOf = (value: string) => ({ kind: 'email', value }) as const
const phoneOf = (value: string) => ({ kind: 'phone', value }) as const

/** Makes an account the new user, with whatever was sent to its owner. */
async function takeOver(
  ctx: AuthContext,
  admin: Admin,
  { input, passwordHash }: CreationOrder,
  userId: string,
): Promise<User> {
  const user = readAccount(ctx, input, userId)
  const note = auditNote(ctx, signedUpBy(admin, user))
  const claim = addressClaim(ctx, { actorRole: admin.role })
  const stored = await withLockedUser(ctx, userId, async (tx) => {
    const before = await findById(tx.sql, userId)
    if (!before || !givesWay(before)) return null
    const after = withIdentitiesOf(user, before.user)
    const isSaved = await changeUser(tx, {
      before,
      after,
      passwordHash,
      claim,
      registration: null,
      endsSessions: { except: null },
      dropsFactors: true,
      auditRows: note.rows,
    })
    return isSaved ? after : null
  })
  if (!stored) {
    await requireFreeAddresses(ctx.sql, nothing, user)
    throw conflict('Another request was faster')
  }
  note.log()
  claim.log()
  return stored
}

/** The rows of identities that are there are changed: there is one for each kind of address. */
const withIdentitiesOf = (user: User, before: User): User => ({
  ...user,
  identities: user.identities.map((identity) => {
    const known = before.identities.find(({ provider }) => provider === identity.provider)
    return known ? { ...identity, id: known.id, createdAt: known.createdAt } : identity
  }),
})

/** Makes the user, with an id that the operator chose, once the accounts that give way are gone. */
async function makeInstead(ctx: AuthContext, admin: Admin, order: CreationOrder): Promise<User> {
  const { user } = order
  const notes = await ctx.transaction(async (tx) => {
    const gone = await giveWay(tx, [user], { actorRole: admin.role })
    const made = await createUser(tx, operatorsUser(admin, order))
    if (!made) throw conflict('Another request was faster')
    return [made, gone]
  })
  for (const note of notes) note.log()
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

/** A confirmed address shows in the metadata, as it does once a user confirms it. */
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
  return ctx.passwords.hash(password, operatorsTurn(ctx))
}
