import { type AuditNote, auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { conflict, validationFailed } from '../../errors/request-errors.ts'
import { requireShort } from '../../kit/require-short.ts'
import { requireImportableHash } from '../../passwords/importable-hash.ts'
import { requireHashablePassword } from '../../passwords/password-policy.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { addressClaim, giveWay } from '../../steps/give-way.ts'
import { operatorsTurn } from '../../steps/hashing-turn.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import type { Account } from '../../users/account.ts'
import { readEmail, readPhone } from '../../users/addresses.ts'
import { findByAddress, findById } from '../../users/find-account.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import { requireMetadataFits } from '../../users/metadata.ts'
import { type NewAddress, newAccount } from '../../users/new-account.ts'
import { readBan } from '../../users/read-ban.ts'
import { readUserId } from '../../users/read-user-id.ts'
import { givesWay } from '../../users/registration.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { userIdExists } from '../../users/user-errors.ts'
import type { NewUser } from './admin-users.endpoint.ts'

/** A user who is to be, and what they sign in with. */
interface UserToMake {
  input: NewUser
  account: Account
  passwordHash: string | null
}

/**
 * Makes a user in the name of an operator: no message goes out, and the rules for new passwords do
 * not hold. Without a password the user has none.
 *
 * An account that strangers registered, and nobody proved, keeps its address from no operator: the user takes its
 * place, under its id, so that links that were sent there lead to the user. Where the operator chose another id, and
 * for the second of two addresses, it is removed.
 *
 * @throws AuthError `validation_failed` (400, or 422 for metadata that is too large), `email_exists`, `phone_exists`,
 *   `user_already_exists` (422).
 */
export async function createUser(ctx: AuthContext, admin: Admin, input: NewUser): Promise<Account> {
  const account = readAccount(ctx, input, input.id ? readUserId(input.id) : null)
  requireMetadataFits(ctx.config, account)
  const passwordHash = await readPasswordHash(ctx, input)
  const note = noteAbout(ctx, admin, account)
  const credentials = { passwordHash, registration: null }
  const stored = await insertAccount(ctx.sql, { account, ...credentials, auditRows: note.rows })
  if (!stored) return takePlace(ctx, admin, { input, account, passwordHash })
  note.log()
  return account
}

function readAccount(ctx: AuthContext, input: NewUser, id: string | null): Account {
  const now = ctx.clock.now()
  const account = newAccount(
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
  return { ...account, bannedUntil: readBan(input.banDuration, now) ?? null }
}

const noteAbout = (ctx: AuthContext, { role }: Admin, { id, appMetadata }: Account): AuditNote =>
  auditNote(ctx, {
    action: 'user_signedup',
    actorRole: role,
    userId: id,
    traits: { provider: appMetadata['provider'] },
  })

/** Makes the user whose addresses others hold, all of whom give way; else says who does not. */
async function takePlace(ctx: AuthContext, admin: Admin, made: UserToMake): Promise<Account> {
  const { input, account } = made
  await requireFreeAddresses(ctx.sql, nothing, account)
  const holder =
    (account.email && (await findByAddress(ctx.sql, emailOf(account.email), null))) ||
    (account.phone && (await findByAddress(ctx.sql, phoneOf(account.phone), null))) ||
    null
  if (holder && (!input.id || holder.account.id === account.id)) {
    return takeOver(ctx, admin, made, holder.account.id)
  }
  if (await findById(ctx.sql, account.id)) throw userIdExists()
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
  { input, passwordHash }: UserToMake,
  userId: string,
): Promise<Account> {
  const account = readAccount(ctx, input, userId)
  const note = noteAbout(ctx, admin, account)
  const claim = addressClaim(ctx, { actorRole: admin.role })
  const stored = await withLockedUser(ctx, userId, async (tx) => {
    const before = await findById(tx.sql, userId)
    if (!before || !givesWay(before)) return null
    const after = withIdentitiesOf(account, before.account)
    const isSaved = await saveAccount(tx.sql, {
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
    await requireFreeAddresses(ctx.sql, nothing, account)
    throw conflict('Another request was faster')
  }
  note.log()
  claim.log()
  return stored
}

/** The rows of identities that are there are changed: there is one for each kind of address. */
const withIdentitiesOf = (account: Account, before: Account): Account => ({
  ...account,
  identities: account.identities.map((identity) => {
    const known = before.identities.find(({ provider }) => provider === identity.provider)
    return known ? { ...identity, id: known.id, createdAt: known.createdAt } : identity
  }),
})

/** Makes the user, with an id that the operator chose, once the accounts that give way are gone. */
async function makeInstead(
  ctx: AuthContext,
  admin: Admin,
  { account, passwordHash }: UserToMake,
): Promise<Account> {
  const made = noteAbout(ctx, admin, account)
  const gone = await ctx.transaction(async (tx) => {
    const note = await giveWay(tx, [account], { actorRole: admin.role })
    const credentials = { passwordHash, registration: null }
    if (await insertAccount(tx.sql, { account, ...credentials, auditRows: made.rows })) return note
    throw conflict('Another request was faster')
  })
  made.log()
  gone.log()
  return account
}

function readAddresses({ email, phone, emailConfirm, phoneConfirm }: NewUser): NewAddress[] {
  const addresses: NewAddress[] = []
  if (email) addresses.push({ ...readEmail(email), confirmed: emailConfirm ?? false })
  if (phone) addresses.push({ ...readPhone(phone), confirmed: phoneConfirm ?? false })
  if (addresses.length > 0) return addresses
  throw validationFailed('email: Cannot create a user without either an email or phone')
}

/** A confirmed address shows in the metadata, as it does once a user confirms it. */
const readUserMetadata = ({ userMetadata, email, emailConfirm }: NewUser) => ({
  ...userMetadata,
  ...(email && emailConfirm && { email_verified: true }),
})

async function readPasswordHash(ctx: AuthContext, input: NewUser): Promise<string | null> {
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
