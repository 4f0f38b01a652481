import { unexpectedAudience } from '../../access-tokens/access-token-errors.ts'
import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { isUuid } from '../../kit/uuid.ts'
import { strongSessionNeededToLink } from '../../sessions/session-errors.ts'
import { type Caller, needsStepUp } from '../../steps/authenticate-caller.ts'
import { identityNotice } from '../../steps/change-notices.ts'
import { changeUser } from '../../steps/change-user.ts'
import { chooseOwnEmail } from '../../steps/choose-own-email.ts'
import { providersIn } from '../../steps/external-account.ts'
import { addressClaim } from '../../steps/give-way.ts'
import { requireManualLinking } from '../../steps/link-identity.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { requireStoredCaller } from '../../steps/require-stored-caller.ts'
import { retryLostRaces } from '../../steps/retry-lost-races.ts'
import { rowsOfMessages } from '../../steps/token-message.ts'
import { emailOf } from '../../users/choose-email.ts'
import { providersOf } from '../../users/new-user.ts'
import { withoutPendingChanges, withoutPendingProofs } from '../../users/pending.ts'
import { type Identity, isConfirmed, type User } from '../../users/user.ts'
import {
  emailConflictAtUnlinking,
  identityNotFound,
  singleIdentityNotDeletable,
} from '../../users/user-errors.ts'

interface Unlinking {
  identityId: string
  /** An audience that the request asks for; the token must be for it. */
  audience?: string | null
}

/**
 * Unlinks an identity of the signed-in user, who keeps at least one. An address that no identity is left of goes with
 * it, and all that was sent or asked for before; another verified one takes its place. Sessions and password stay.
 *
 * @throws AuthError `manual_linking_disabled` (404), `insufficient_aal` (403), `validation_failed` (404) for what is no
 *   UUID, `unexpected_audience` (403), `single_identity_not_deletable`, `identity_not_found`,
 *   `email_conflict_identity_not_deletable` (422) where an account that was proved would be left with an address that
 *   nobody has proved, or that is another user's, `user_not_found`, `session_not_found`, `user_banned` (403),
 *   `conflict` (409).
 */
export async function unlinkIdentity(
  ctx: AuthContext,
  caller: Caller,
  { identityId, audience }: Unlinking,
): Promise<void> {
  requireManualLinking(ctx)
  if (needsStepUp(caller)) throw strongSessionNeededToLink()
  if (!isUuid(identityId)) throw validationFailed('identity_id must be an UUID', 404)
  const [own] = [caller.claims.aud].flat()
  if (audience && audience !== own) throw unexpectedAudience()
  await retryLostRaces(() => tryToUnlink(ctx, caller, identityId.toLowerCase()))
}

/** Null when another request was faster. */
async function tryToUnlink(
  ctx: AuthContext,
  caller: Caller,
  identityId: string,
): Promise<true | null> {
  const sessionId = caller.session?.id ?? null
  const { stored, session } = await requireStoredCaller(ctx, { userId: caller.user.id, sessionId })
  const { user: before } = stored
  if (needsStepUp({ ...caller, user: before, session })) throw strongSessionNeededToLink()
  if (before.identities.length < 2) throw singleIdentityNotDeletable()
  const identity = before.identities.find(({ id }) => id === identityId)
  if (!identity) throw identityNotFound()
  const after = await without(ctx, before, identity)

  const note = auditNote(ctx, unlinked(identity))
  const claim = addressClaim(ctx, { actorId: after.id })
  // To the address from before, whose owner may know nothing of it.
  const notices = outboxRows(
    ctx,
    identityNotice(ctx, 'identityUnlinked', before, identity.provider),
  )
  const isSaved = await changeUser(ctx, {
    before: stored,
    after,
    passwordHash: stored.passwordHash,
    ...(sessionId !== null && { askingSessionId: sessionId }),
    voidsTokens: after.email !== before.email || after.phone !== before.phone,
    // One may come from a sign-in with what is unlinked.
    voidsCodes: true,
    claim,
    ...rowsOfMessages({ tokens: [], messages: notices }),
    auditRows: note.rows,
  })
  if (!isSaved) return null
  note.log()
  claim.log()
  if (notices.length > 0) ctx.outbox.wake()
  return true
}

const unlinked = ({ id, userId, provider, subject }: Identity) =>
  ({
    action: 'identity_unlinked',
    actorId: userId,
    traits: { identity_id: id, provider, provider_id: subject },
  }) as const

/** What is left of an account without one of its identities. */
async function without(ctx: AuthContext, user: User, identity: Identity): Promise<User> {
  const identities = user.identities.filter((one) => one !== identity)
  const left: User = {
    ...user,
    identities,
    appMetadata: providersOf(user.appMetadata, providersIn(identities)),
    updatedAt: ctx.clock.now(),
  }
  const after = identity.provider === 'phone' ? withoutPhone(left) : await withOwnEmail(ctx, left)
  // An address that nobody has proved would open what another one has proved (rule 2).
  const hasAddress = after.email !== null || after.phone !== null
  if (isConfirmed(user) && !isConfirmed(after) && hasAddress) throw emailConflictAtUnlinking()
  return after
}

const withoutPhone = (user: User): User =>
  user.phone === null ? user : { ...withNothingPending(user), phone: null, phoneConfirmedAt: null }

/** An account whose address one of its identities has. */
async function withOwnEmail(ctx: AuthContext, user: User): Promise<User> {
  const { email, identities } = user
  const { autoconfirm } = ctx.config.email
  const known = identities.map((identity) => ({ identity, ...emailOf(identity, autoconfirm) }))
  if (email === null || known.some((one) => one.email === email)) return user
  // One that the provider has not verified may be anybody's: it does not become the user's without a proof.
  const sound = known.filter((one) => one.email === null || one.isVerified)
  const choice = await chooseOwnEmail(
    ctx,
    user.id,
    sound.map(({ identity }) => identity),
  )
  if (!choice) throw emailConflictAtUnlinking()
  const changed = { ...withNothingPending(user), email: choice.email }
  if (choice.email !== null) return changed
  const userMetadata = { ...user.userMetadata, email_verified: false }
  return { ...changed, emailConfirmedAt: null, userMetadata }
}

const withNothingPending = (user: User): User => withoutPendingChanges(withoutPendingProofs(user))
