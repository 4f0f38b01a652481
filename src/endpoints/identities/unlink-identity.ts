import { identityNotice } from '../../accounts/acts/change-notices.ts'
import { needsBothAddresses } from '../../accounts/addresses/email-change-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Caller, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import { restrictsNewPasswords } from '../../accounts/callers/nonce-recipient.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import {
  requireMayChangeSignIn,
  requireRecentSignIn,
} from '../../accounts/callers/recent-sign-in.ts'
import {
  rejectSsoUser,
  requireManualLinking,
} from '../../accounts/external-sign-in/require-may-link.ts'
import { changeUser } from '../../accounts/lifecycle/change-user.ts'
import { stepUpNeededToLink } from '../../accounts/sessions/session-errors.ts'
import { chooseOwnEmail, emailOf, emailTermsOf } from '../../accounts/users/choose-email.ts'
import { losesOldestAddress } from '../../accounts/users/established-address.ts'
import { providersIn, providersOf } from '../../accounts/users/new-user.ts'
import {
  hasAddress,
  hasConfirmedAddress,
  hasOtherAddress,
  type Identity,
  isInUse,
  type User,
} from '../../accounts/users/user.ts'
import { withoutPendingChanges, withoutPendingProofs } from '../../accounts/users/user-addresses.ts'
import {
  emailConflictAtUnlinking,
  identityNotFound,
  lastAddressNotDeletable,
  singleIdentityNotDeletable,
} from '../../accounts/users/user-errors.ts'
import { unexpectedAudience } from '../../credentials/access-tokens/access-token-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { retryLostRaces } from '../../platform/sql/retry.ts'

interface Unlinking {
  identityId: string
  /** The audience of the request. That of the access token must be the same. */
  audience?: string | null
}

/**
 * Unlinks an identity of the signed-in user, who keeps at least one. An address without an identity
 * is removed with it, and earlier messages and requests are revoked; another verified address
 * replaces it. Sessions and password stay.
 *
 * @throws AuthError `manual_linking_disabled` (404), `insufficient_aal`, `reauthentication_needed`
 *   (403), `validation_failed` (404) for an invalid UUID, `unexpected_audience` (403),
 *   `single_identity_not_deletable`, `identity_not_found`, `email_conflict_identity_not_deletable`
 *   (422) where a confirmed account would keep an unconfirmed address, or one of another user, or,
 *   while new passwords are restricted, no address,
 *   `user_not_found`, `session_not_found`, `user_banned` (403), `conflict` (409),
 *   `user_sso_managed` (422).
 */
export async function unlinkIdentity(
  ctx: AuthContext,
  caller: Caller,
  { identityId, audience }: Unlinking,
): Promise<void> {
  requireManualLinking(ctx)
  // The address may be replaced by that of another identity.
  requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToLink })
  if (!isUuid(identityId)) throw validationFailed('identity_id must be an UUID', 404)
  const [own] = [caller.claims.aud].flat()
  if (audience && audience !== own) throw unexpectedAudience()
  await retryLostRaces(() => tryToUnlink(ctx, caller, identityId.toLowerCase()))
}

/** Returns null when a concurrent request changed the user. */
async function tryToUnlink(
  ctx: AuthContext,
  caller: Caller,
  identityId: string,
): Promise<User | null> {
  const sessionId = caller.session?.id ?? null
  const { stored, session } = await requireStoredCaller(ctx, { userId: caller.user.id, sessionId })
  const { user: before } = stored
  const current = { ...caller, user: before, session }
  requireRecentProof(ctx, current, { insufficientAal: stepUpNeededToLink })
  requireMayChangeSignIn(ctx, current)
  rejectSsoUser(before)
  if (before.identities.length < 2) throw singleIdentityNotDeletable()
  const identity = before.identities.find(({ id }) => id === identityId)
  if (!identity) throw identityNotFound()
  // Suspended identities cannot sign in, so they do not count.
  const isLast = !before.identities.some((one) => one !== identity && isInUse(one))
  if (isLast) throw singleIdentityNotDeletable()
  const { provider } = identity
  const label = await registeredLabel(ctx, provider)
  const after = await withoutIdentity(ctx, before, identity)
  // A change of the email would need its confirmation. A stolen session must not avoid it.
  if (after.email !== before.email && needsBothAddresses(ctx, before)) {
    requireRecentSignIn(ctx, current)
  }

  return changeUser(ctx, {
    audit: unlinked(identity),
    // Sent to the former address, whose owner may not be the caller.
    notices: identityNotice(ctx, 'identityUnlinked', before, { provider, label }),
    before: stored,
    after,
    changedBy: 'user',
    passwordHash: stored.passwordHash,
    requestingSession: session,
    causes: hasOtherAddress(before, after)
      ? ['identityUnlinked', 'addressChanged']
      : ['identityUnlinked'],
    releasesBy: { actorId: after.id },
  })
}

/** Returns the name of a registered provider; undefined for others. */
async function registeredLabel(
  { providers }: AuthContext,
  name: string,
): Promise<string | undefined> {
  // A provider whose secret cannot be decrypted prevents no unlinking.
  const registered = await providers.findRegistered(name).catch(() => null)
  return registered?.provider.label
}

const unlinked = ({ id, userId, provider, subject }: Identity) =>
  ({
    action: 'identity_unlinked',
    actorId: userId,
    traits: { identity_id: id, provider, provider_id: subject },
  }) as const

/** The account without one of its identities. */
async function withoutIdentity(ctx: AuthContext, user: User, identity: Identity): Promise<User> {
  const identities = user.identities.filter((one) => one !== identity)
  const left: User = {
    ...user,
    identities,
    appMetadata: providersOf(user.appMetadata, providersIn(identities)),
    updatedAt: ctx.clock.now(),
  }
  const after =
    identity.provider === 'phone' ? withoutPhone(left) : await withRemainingEmail(ctx, left)
  // An unconfirmed address would open an account that another address has confirmed (rule 2).
  if (hasConfirmedAddress(user) && !hasConfirmedAddress(after) && hasAddress(after))
    throw emailConflictAtUnlinking()
  // A stolen session could otherwise confirm an address as the first one, which replaces the
  // password, or wait until its own address is established.
  if (restrictsNewPasswords(ctx) && losesOldestAddress(user, after, ctx.clock.now()))
    throw lastAddressNotDeletable()
  return after
}

const withoutPhone = (user: User): User =>
  user.phone === null ? user : { ...withNothingPending(user), phone: null, phoneConfirmedAt: null }

/** The account with an address of one of its identities. */
async function withRemainingEmail(ctx: AuthContext, user: User): Promise<User> {
  const { email, identities } = user
  const terms = emailTermsOf(ctx.config, user)
  const known = identities
    .filter(isInUse)
    .map((identity) => ({ identity, ...emailOf(identity, terms) }))
  if (email === null || known.some((one) => one.email === email)) return user
  // An unverified address may belong to another user: it needs a confirmation.
  const verified = known.filter((one) => one.email === null || one.isVerified)
  const choice = await chooseOwnEmail(
    ctx,
    user,
    verified.map(({ identity }) => identity),
  )
  if (!choice) throw emailConflictAtUnlinking()
  const changed = { ...withNothingPending(user), email: choice.email }
  if (choice.email !== null) return changed
  const userMetadata = { ...user.userMetadata, email_verified: false }
  return { ...changed, emailConfirmedAt: null, userMetadata }
}

const withNothingPending = (user: User): User => withoutPendingChanges(withoutPendingProofs(user))
