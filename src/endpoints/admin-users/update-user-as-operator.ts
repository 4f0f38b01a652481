import { atFirstAddress, type ConfirmedUser } from '../../accounts/addresses/first-address.ts'
import {
  withoutSignUpMetadata,
  withUnconfirmedPending,
} from '../../accounts/addresses/prove-address.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Admin,
  requireMayChangeCredentials,
} from '../../accounts/callers/authenticate-admin.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { changeUser } from '../../accounts/lifecycle/change-user.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { requireFreeAddresses } from '../../accounts/users/find-owners.sql.ts'
import { findById, type StoredUser } from '../../accounts/users/find-user.sql.ts'
import { mergeMetadata, requireMetadataFits } from '../../accounts/users/metadata.ts'
import { readBan } from '../../accounts/users/read-ban.ts'
import { contestedByOperator, isUnclaimed } from '../../accounts/users/sign-up-origin.ts'
import { hasAddress, type User } from '../../accounts/users/user.ts'
import {
  assignAddress,
  confirmAddress,
  withoutPendingChanges,
  withoutPendingProofs,
} from '../../accounts/users/user-addresses.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { readGivenUsername } from '../../accounts/users/username.ts'
import { requireFreeUsername } from '../../accounts/users/usernames.sql.ts'
import { operatorPriority } from '../../credentials/passwords/gate.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { UpdateUserInput } from './admin-users.endpoint.ts'
import { requireUserById } from './find-user.ts'

/**
 * Changes a user in the name of an operator. Addresses change at once and no message goes out. A
 * new password ends all sessions; a ban ends none, but is enforced from the next request on.
 *
 * @throws AuthError `validation_failed` (400, or 404 for a malformed id), `user_not_found` (404),
 *   also for a new address of a user who was deleted softly, `weak_password`, `email_exists`,
 *   `phone_exists`, `username_exists` (422), `reauthentication_needed` (403) for the operator's own
 *   password or address without a recent proof of a factor.
 */
export async function updateUserAsOperator(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  changes: UpdateUserInput,
): Promise<User> {
  const { id } = await requireUserById(ctx, userId)
  const username = readGivenUsername(ctx, changes.username)
  const isCredential = [changes.password, changes.email, changes.phone, username].some(Boolean)
  if (isCredential) requireMayChangeCredentials(ctx, admin, id)
  const email = changes.email ? readEmail(changes.email) : null
  const phone = changes.phone ? readPhone(changes.phone) : null
  const bannedUntil = readBan(changes.banDuration, ctx.clock.now())
  if (changes.password !== undefined) await requireStrongPassword(ctx, changes.password)
  const passwordHash =
    changes.password === undefined
      ? null
      : await ctx.passwords.hash(changes.password, operatorPriority(ctx))
  const addresses = [email, phone].filter((address) => address !== null)
  const read = { addresses, username, bannedUntil, passwordHash }

  return withLockedUser(ctx, id, async (tx) => {
    const before = await findById(tx.sql, id)
    if (!before) throw userNotFound()
    const { user } = before
    if (addresses.length > 0) {
      // A soft-deleted user gets no address.
      if (user.deletedAt) throw userNotFound()
      await requireFreeAddresses(tx, user, { email: email?.value, phone: phone?.value })
    }
    if (username !== null) {
      if (user.deletedAt) throw userNotFound()
      await requireFreeUsername(tx.sql, { ...user, username })
    }
    // A user name that the configuration ignores is not stored.
    const given = { ...changes, username: username ?? undefined }
    const own = ownedBy(before, given, ctx.clock.now())
    const after = changedUser(ctx, own.user, changes, read)
    await changeUser(tx, {
      before,
      audit: { action: 'user_modified', actorRole: admin.role, userId: id },
      releasesBy: { actorRole: admin.role },
      changedBy: 'operator',
      after: isGivenBoth(changes) ? after : withUnconfirmedPending(after, before.signUpOrigin),
      includesDeleted: true,
      passwordHash: passwordHash ?? own.passwordHash,
      signUpOrigin: own.signUpOrigin,
      causes: [
        ...(passwordHash === null ? [] : (['passwordChanged'] as const)),
        ...(addresses.length === 0 ? [] : (['addressChanged'] as const)),
        ...own.causes,
      ],
    })
    return requireUserById(tx, id)
  })
}

type OwnedAccount = ConfirmedUser & Pick<StoredUser, 'signUpOrigin'>

/**
 * Returns the account that an operator changes, with its sign-up origin.
 *
 * On an account without a confirmed address, a password makes the account the operator's. To
 * confirm the address of the sign-up keeps that sign-up, unless others compete with it: then
 * sessions and factors end, and passkeys and identities are suspended. Any other change competes
 * with the sign-up.
 */
function ownedBy(stored: StoredUser, changes: UpdateUserInput, now: Date): OwnedAccount {
  const { user, passwordHash, signUpOrigin } = stored
  const kept: OwnedAccount = { user, passwordHash, signUpOrigin, causes: [] }
  if (!isUnclaimed(stored)) return kept
  const confirms = Boolean(changes.emailConfirm || changes.phoneConfirm)
  if (confirms || changes.password !== undefined) {
    const isVouchedFor = changes.password === undefined && isMadeByOperator(stored, changes)
    // Without an address, only the session of the account supplied its data.
    if (isVouchedFor || !hasAddress(user)) return { ...kept, signUpOrigin: null }
    const claimed = confirms
      ? atFirstAddress({ now }, stored, { keepsPassword: false })
      : { ...kept, passwordHash: null, signUpOrigin: null }
    return { ...claimed, user: withoutSignUpMetadata(claimed.user, signUpOrigin) }
  }
  const { role, email, phone, username, userMetadata, appMetadata } = changes
  const isGift = [role, email, phone, username, userMetadata, appMetadata].some(
    (one) => one !== undefined,
  )
  return {
    ...kept,
    signUpOrigin: isGift ? contestedByOperator(signUpOrigin, userMetadata) : signUpOrigin,
  }
}

/**
 * Whether the operator decided on the unconfirmed address in addition to the one being confirmed.
 */
const isGivenBoth = ({ email, phone }: UpdateUserInput): boolean =>
  email !== undefined && phone !== undefined

/** Whether an operator confirms the address of the only sign-up. */
const isMadeByOperator = ({ user, signUpOrigin }: StoredUser, changes: UpdateUserInput): boolean =>
  signUpOrigin?.by !== 'contested' &&
  ((changes.emailConfirm && user.email !== null && !changes.email) ||
    (changes.phoneConfirm && user.phone !== null && !changes.phone) ||
    false)

/** The changes that an operator requested, after parsing. */
interface ReadChanges {
  addresses: readonly Address[]
  /** Null keeps the name. */
  username: string | null
  /** Null lifts a ban; undefined keeps it. */
  bannedUntil: Date | null | undefined
  passwordHash: string | null
}

/**
 * Returns the account with an operator's changes.
 *
 * @throws AuthError `validation_failed` (422) for metadata that is too large.
 */
function changedUser(
  { clock, config }: Pick<AuthContext, 'clock' | 'config'>,
  user: User,
  changes: UpdateUserInput,
  { addresses, username, bannedUntil, passwordHash }: ReadChanges,
): User {
  const needs = { now: clock.now() }
  const base = passwordHash === null ? user : withoutPendingProofs(user)
  // A new address must not complete a change that the former address confirmed. A ban also cancels
  // changes that the user's sessions requested.
  const isSettled = addresses.length > 0 || (bannedUntil ?? null) !== null
  const settled = isSettled ? withoutPendingChanges(base) : base
  const moved = addresses.reduce((one, address) => assignAddress(needs, one, address), settled)
  const proved = provedKinds(changes).reduce((one, kind) => confirmAddress(needs, one, kind), moved)
  const metadata = {
    appMetadata: merged(proved.appMetadata, changes.appMetadata),
    userMetadata: merged(proved.userMetadata, changes.userMetadata),
  }
  requireMetadataFits(config, metadata, proved)
  return {
    ...proved,
    ...metadata,
    username: username ?? proved.username,
    role: requireShort(changes.role?.trim() ?? '', 'role') || proved.role,
    bannedUntil: bannedUntil === undefined ? proved.bannedUntil : bannedUntil,
    updatedAt: needs.now,
  }
}

const provedKinds = ({ emailConfirm, phoneConfirm }: UpdateUserInput): Address['kind'][] => [
  ...(emailConfirm ? (['email'] as const) : []),
  ...(phoneConfirm ? (['phone'] as const) : []),
]

type Metadata = Record<string, unknown>

const merged = (current: Metadata, changes: Metadata | undefined): Metadata =>
  changes ? mergeMetadata(current, changes) : current
