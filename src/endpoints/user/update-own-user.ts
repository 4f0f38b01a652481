import { changeNotices, passwordChangedNotice } from '../../accounts/acts/change-notices.ts'
import { atFirstAddress } from '../../accounts/addresses/first-address.ts'
import { withUnconfirmedPending } from '../../accounts/addresses/prove-address.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { sendLimitsOf, settleRequest } from '../../accounts/addresses/send-limits-of.ts'
import { rowsOfMessages } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { olderProofOf, requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import {
  requireMayChangeSignIn,
  requireRecentSignInIfOnlyProof,
} from '../../accounts/callers/recent-sign-in.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import { changeUser } from '../../accounts/lifecycle/change-user.ts'
import { stepUpNeededToUpdate } from '../../accounts/sessions/session-errors.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { type FoundForUpdate, findForUpdate } from '../../accounts/users/find-for-message.sql.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import { mergeMetadata, requireMetadataFits } from '../../accounts/users/metadata.ts'
import { type SignUpOrigin, withSuppliedKeys } from '../../accounts/users/sign-up-origin.ts'
import { hasConfirmedAddress, hasOtherAddress, type User } from '../../accounts/users/user.ts'
import { withoutPendingProofs } from '../../accounts/users/user-addresses.ts'
import {
  changedMeanwhile,
  emailExists,
  newPhoneExists,
  subjectNotFound,
  userSsoManaged,
} from '../../accounts/users/user-errors.ts'
import { requireFreeUsername } from '../../accounts/users/usernames.sql.ts'
import { type SendLimits, unlimited } from '../../limits/send-limits.ts'
import { type SpentRow, spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { type AddressChange, changeAddresses } from './change-own-addresses.ts'
import { allowPasswordChange, type PasswordChange } from './change-own-password.ts'
import {
  needsCurrentEmail,
  needsMessage,
  type ReadUpdate,
  readUpdate,
  requireAddressWithPassword,
  requireMayChooseName,
  requireReachableAddresses,
  type UserUpdate,
} from './read-update.ts'

/**
 * Changes the signed-in user's own password, user name, metadata and addresses.
 *
 * A new password ends all other sessions and revokes every link and code. A new address becomes the
 * user's once it is confirmed.
 *
 * @throws AuthError `weak_password`, `same_password`, `email_exists`, `phone_exists`,
 *   `username_exists`, `user_sso_managed`, `reauthentication_not_valid`, `sms_send_failed` (422),
 *   `current_password_required`, `current_password_invalid`, `reauthentication_needed`,
 *   `email_address_invalid`, `email_address_not_authorized`, `validation_failed` (400),
 *   `insufficient_aal` (401) where a second factor was not proved, `not_admin`,
 *   `session_not_found`, `user_banned` (403), `reauthentication_needed` (403) where its proof is
 *   older, and as `requireMayChangeSignIn` and `requireRecentSignInIfOnlyProof`,
 *   `over_email_send_rate_limit`, `over_sms_send_rate_limit`, `over_request_rate_limit` (429).
 */
export async function updateOwnUser(
  ctx: AuthContext,
  caller: Caller,
  update: UserUpdate,
): Promise<User> {
  const read = await readUpdate(ctx, caller.user, update)
  const changesName = read.newUsername !== null
  const setsPassword = update.password !== undefined
  const isCredential = setsPassword || changesName || read.newAddresses.length > 0
  const requireMayUpdate = (current: Caller) => {
    if (!isCredential) return
    requireRecentProof(ctx, current, { insufficientAal: stepUpNeededToUpdate })
    // The configuration has its own conditions for a new password.
    if (setsPassword) requireRecentSignInIfOnlyProof(ctx, current)
    if (changesSignIn(ctx, current.user, read)) requireMayChangeSignIn(ctx, current)
  }
  // Before limits are spent: the user repeats the request after the sign-in.
  requireMayUpdate(caller)
  requireAddressWithPassword(caller.user, update)
  rejectManagedBySso(caller.user, update, read)
  await requireReachableAddresses(ctx, caller.user, read.newAddresses)
  if (changesName)
    await requireFreeUsername(ctx.sql, { ...caller.user, username: read.newUsername })
  const { stored, change } = await prepare(ctx, caller, update, read)
  const plan = { update, read, change }
  // The caller as the write sees it: its version identifies the account, its assurance the session.
  const tryAs = (within: AuthContext, current: Caller, before: StoredUser) => {
    const proved = { ...current, user: before.user }
    requireMayUpdate(proved)
    rejectManagedBySso(before.user, update, read)
    if (changesName && before.user.username !== read.newUsername)
      requireMayChooseName(within, before.user)
    return tryToUpdate(within, current, before, plan)
  }
  const updated =
    (isCredential && mightMissProof(caller, stored) ? null : await tryAs(ctx, caller, stored)) ??
    (await withLockedCaller(ctx, caller, async (tx, current) =>
      tryAs(tx, current, await requireStored(tx, caller.user.id)),
    ))
  if (!updated) throw changedMeanwhile()
  return updated
}

/** Rejects a change that only the identity provider of a user of single sign-on may make. */
function rejectManagedBySso(
  { isSsoUser }: Pick<User, 'isSsoUser'>,
  { password, nonce }: UserUpdate,
  { newAddresses }: ReadUpdate,
): void {
  if (isSsoUser && (password !== undefined || nonce || newAddresses.length > 0))
    throw userSsoManaged()
}

/** Whether the session alone gives the account another user name or address to sign in with. */
const changesSignIn = (
  ctx: AuthContext,
  user: User,
  { newUsername, newAddresses }: ReadUpdate,
): boolean =>
  newUsername !== null || newAddresses.some((address) => !needsCurrentEmail(ctx, user, address))

/**
 * Whether the write could miss a first proof of a factor, which changes neither the version of the
 * account nor, for a token without one, a session.
 */
const mightMissProof = ({ session }: Caller, { user }: StoredUser): boolean =>
  session === null && user.factors.length > 0

/**
 * Checks the change, spends its limits, and returns the stored user.
 *
 * The message budget is spent before any look-up or comparison: during a send interval, the
 * response reveals neither whether an address has a user nor whether a password is the current one.
 */
async function prepare(
  ctx: AuthContext,
  caller: Caller,
  update: UserUpdate,
  { newAddresses }: ReadUpdate,
): Promise<{ stored: StoredUser; change: PasswordChange | null }> {
  const { user } = caller
  const looks: FoundForUpdate<SpentRow>[] = []
  for (const address of newAddresses) looks.push(await spendLimitsAndFind(ctx, user, address))
  requireFree(looks)
  const stored = looks.at(-1)?.stored ?? (await requireStored(ctx, user.id))
  const change =
    update.password === undefined
      ? null
      : await allowPasswordChange(ctx, caller, stored.passwordHash, update)
  return { stored, change }
}

/** Spends the budget of the message to a new address. */
async function spendLimitsAndFind(
  ctx: AuthContext,
  user: User,
  address: Address,
): Promise<FoundForUpdate<SpentRow>> {
  const isCounted = needsMessage(ctx, user, address)
  const limits = isCounted ? sendLimitsOf(ctx, 'email-change', address, user.id) : unlimited
  const found = await find(ctx, user.id, address, limits)
  await settleRequest(ctx, requestAddress(ctx, address, 'change'), found.spent, limits)
  return found
}

function requireFree(looks: readonly FoundForUpdate<SpentRow>[]): void {
  if (looks.some(({ taken }) => taken.email)) throw emailExists()
  if (looks.some(({ taken }) => taken.phone)) throw newPhoneExists()
}

const find = (
  ctx: AuthContext,
  userId: string,
  wanted: Address | null = null,
  limits: SendLimits = unlimited,
): Promise<FoundForUpdate<SpentRow>> =>
  findForUpdate(ctx, spendLimits(ctx, limits), userId, {
    email: null,
    phone: null,
    ...(wanted && { [wanted.kind]: wanted.value }),
  })

async function requireStored(ctx: AuthContext, userId: string): Promise<StoredUser> {
  const { stored } = await find(ctx, userId)
  if (!stored) throw subjectNotFound()
  return stored
}

interface Plan {
  update: UserUpdate
  read: ReadUpdate
  change: PasswordChange | null
}

/** Returns null when the user was changed since it was read, or the session has ended. */
async function tryToUpdate(
  ctx: AuthContext,
  { session }: Caller,
  stored: StoredUser,
  { update, read, change }: Plan,
): Promise<User | null> {
  // The current password was checked against a hash that a concurrent change has replaced.
  if (change && stored.passwordHash !== change.replacedHash) throw changedMeanwhile()
  // Unlike in `proveAddress`, an operator's password ends, too: no message proves the address.
  const first = provesFirstAddress(ctx, stored.user, read)
    ? atFirstAddress({ now: ctx.clock.now() }, stored, { keepsPassword: false })
    : null
  const provedAt = session ? olderProofOf(ctx, session) : stored.user.createdAt
  const account = { ...stored, user: first?.user ?? stored.user }
  const { user, messages } = changed(ctx, account, { update, read, change }, provedAt)
  return changeUser(ctx, {
    before: stored,
    after: user,
    changedBy: 'user',
    audit: auditEvents(user.id, change !== null),
    notices: notices(ctx, stored.user, user, change !== null),
    releasesBy: { actorId: user.id },
    passwordHash: change?.passwordHash ?? (first ?? stored).passwordHash,
    signUpOrigin: first ? first.signUpOrigin : signUpOriginAfterUpdate(stored, user, update),
    ...(change?.nonceTokenId && { spentTokenId: change.nonceTokenId }),
    requestingSession: session,
    causes: [
      ...(change ? (['passwordChanged'] as const) : []),
      ...(hasOtherAddress(stored.user, user) ? (['addressChanged'] as const) : []),
      ...(first?.causes ?? []),
    ],
    keptSessionId: session?.id ?? null,
    ...rowsOfMessages(...messages),
  })
}

/** Whether the update gives the account its first confirmed address, without a message. */
const provesFirstAddress = (ctx: AuthContext, user: User, { newAddresses }: ReadUpdate): boolean =>
  !hasConfirmedAddress(user) && newAddresses.some((address) => !needsMessage(ctx, user, address))

/**
 * Until an address is confirmed, metadata that the user submits is stored as that of the sign-up
 * origin.
 */
function signUpOriginAfterUpdate(
  { signUpOrigin }: StoredUser,
  after: User,
  { data = {} }: UserUpdate,
): SignUpOrigin | null {
  if (!signUpOrigin || hasConfirmedAddress(after)) return null
  const { keys, ...supplied } = withSuppliedKeys(signUpOrigin, data)
  return { ...supplied, keys: keys.filter((key) => Object.hasOwn(after.userMetadata, key)) }
}

function changed(
  ctx: AuthContext,
  { user, signUpOrigin }: StoredUser,
  { update, read, change: passwordChange }: Plan,
  provedAt: Date | null,
): AddressChange {
  const base = passwordChange ? withoutPendingProofs(user) : user
  const userMetadata = update.data
    ? mergeMetadata(base.userMetadata, update.data)
    : base.userMetadata
  requireMetadataFits(ctx.config, { userMetadata }, base)
  const username = read.newUsername ?? base.username
  const account = { ...base, username, userMetadata, updatedAt: ctx.clock.now() }
  const change = changeAddresses(ctx, account, { ...read, provedAt })
  return { ...change, user: withUnconfirmedPending(change.user, signUpOrigin) }
}

const notices = (ctx: AuthContext, before: User, after: User, hasNewPassword: boolean) => [
  ...changeNotices(ctx, before, after),
  ...(hasNewPassword ? passwordChangedNotice(ctx, after) : []),
]

const auditEvents = (actorId: string, hasNewPassword: boolean) => [
  ...(hasNewPassword ? [{ action: 'user_updated_password', actorId } as const] : []),
  { action: 'user_modified', actorId } as const,
]
