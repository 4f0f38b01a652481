import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { GrantedTokens } from '../config/sections/provider-definition.ts'
import type { AuthContext } from '../deps.ts'
import { AuthError } from '../errors/auth-error.ts'
import { spendLimits } from '../limits/spend-send-limits.sql.ts'
import { sessionNotFound, strongSessionNeededToLink } from '../sessions/session-errors.ts'
import type { Rows } from '../sql/tables.ts'
import { findByIdentity } from '../users/find-by-identity.sql.ts'
import { findForUpdate } from '../users/find-for-update.sql.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { providersOf } from '../users/new-user.ts'
import { withPendingEmail } from '../users/pending.ts'
import { providerTokenRows } from '../users/provider-token.ts'
import { hasVerifiedFactor, type Identity, type User } from '../users/user.ts'
import {
  emailExistsAtLinking,
  emailNotConfirmedAtLinking,
  identityExists,
  identityLinkedAlready,
  manualLinkingDisabled,
} from '../users/user-errors.ts'
import { type Caller, needsStepUp, provesSecondFactor } from './authenticate-caller.ts'
import { identityNotice } from './change-notices.ts'
import { changeUser } from './change-user.ts'
import { chooseOwnEmail } from './choose-own-email.ts'
import type { PreparedSignIn, SignInRows } from './complete-sign-in.ts'
import { emailChangeMessage } from './email-change-message.ts'
import { isOf, linked, newIdentity, providersIn } from './external-account.ts'
import type { ExternalPerson } from './external-person.ts'
import { addressClaim } from './give-way.ts'
import { outboxRows } from './outbox-rows.ts'
import { requireDeliverable } from './require-deliverable.ts'
import { requireLiveSession } from './require-live-session.ts'
import { requireReachable } from './require-reachable.ts'
import { type Actor, requireStoredCaller } from './require-stored-caller.ts'
import { retryLostRaces } from './retry-lost-races.ts'
import { sendLimitsOf } from './send-limits-of.ts'
import { settleSending } from './settle-sending.ts'
import type { ExternallySignedIn } from './sign-in-externally.ts'
import { rowsOfMessages, type TokenMessage } from './token-message.ts'

/** An identity that joins the user who is signed in. */
export interface LinkOrder<End> {
  /** Who links: {@link requireMayLink} let them begin. */
  actor: Actor
  /** Whom the provider vouches for, as it said in answer to this request. */
  person: ExternalPerson
  /** What the provider handed out and is to be kept. Default: nothing. */
  tokens?: GrantedTokens | null
  /** Where the link of a confirmation leads to. */
  redirectTo: string
  /** Makes what it ends in: a session, or a code for one. */
  prepare(userId: string): PreparedSignIn<SignInRows & { auditRows?: Rows<'audit_entries'> }, End>
}

/**
 * Refuses everybody where the operator lets nobody link or unlink.
 *
 * @throws AuthError `manual_linking_disabled` (404).
 */
export function requireManualLinking({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.security.manualLinkingEnabled) throw manualLinkingDisabled()
}

/**
 * Refuses a caller who may link no identity. What links ends in a new session, so there has to be one that can be renewed.
 *
 * @throws AuthError `manual_linking_disabled` (404), `session_not_found`, `session_expired`, `insufficient_aal` (403) where the user has a second
 *   factor and has not shown it.
 */
export function requireMayLink(ctx: AuthContext, caller: Caller): Actor & { sessionId: string } {
  requireManualLinking(ctx)
  if (!caller.session) throw sessionNotFound()
  requireLiveSession(ctx, caller)
  if (needsStepUp(caller)) throw strongSessionNeededToLink()
  return { userId: caller.user.id, sessionId: caller.session.id }
}

/**
 * Gives the signed-in user an identity more, and opens what it ends in, in one statement. The session that began it has
 * to be live still, and as strong as the account asks for.
 *
 * A user without an address gets one from the identities: at once where a provider has verified it, else once it is
 * confirmed by mail, as any change of address.
 *
 * @throws AuthError `identity_already_exists` (422) for one that is the user's, or another user's, `email_exists` (400),
 *   `email_not_confirmed` (422) where a mail has to confirm the address, though the identity is linked,
 *   `email_address_invalid`, `email_address_not_authorized` (400), `over_email_send_rate_limit` (429), `user_not_found`, `user_banned`,
 *   `session_not_found`, `session_expired`, `insufficient_aal` (403), `validation_failed` (400) where the metadata
 *   would be too large, `conflict` (409).
 */
export async function linkIdentity<End>(
  ctx: AuthContext,
  order: LinkOrder<End>,
): Promise<ExternallySignedIn<End>> {
  return retryLostRaces(() => tryToLink(ctx, order))
}

/** Null when another request was faster. */
async function tryToLink<End>(
  ctx: AuthContext,
  order: LinkOrder<End>,
): Promise<ExternallySignedIn<End> | null> {
  const { actor, person } = order
  const before = await requireLinker(ctx, actor)
  if (before.user.identities.some((identity) => isOf(identity, person))) {
    throw identityLinkedAlready()
  }
  if (await findByIdentity(ctx.sql, person)) throw identityExists()
  const identity = newIdentity(ctx, person, actor.userId)
  const change = await withAddress(ctx, withIdentity(ctx, before.user, identity))
  requireMetadataFits(ctx.config, change.user, before.user)
  return change.unproved === null
    ? complete(ctx, order, { ...change, before, identity })
    : askToConfirm(ctx, order, { ...change, before, identity }, change.unproved)
}

/** Whoever began may have signed out, been banned or enrolled a factor since. */
async function requireLinker(ctx: AuthContext, actor: Actor): Promise<StoredUser> {
  const { stored, session } = await requireStoredCaller(ctx, actor)
  if (!session) throw sessionNotFound()
  requireLiveSession(ctx, { user: stored.user, session })
  const isStrong = session.aal === 'aal2' && provesSecondFactor(session.amr)
  if (hasVerifiedFactor(stored.user) && !isStrong) throw strongSessionNeededToLink()
  return stored
}

function withIdentity({ clock }: AuthContext, user: User, identity: Identity): User {
  const identities = [...user.identities, identity]
  return {
    ...user,
    identities,
    appMetadata: providersOf(user.appMetadata, providersIn(identities)),
    updatedAt: clock.now(),
  }
}

/** An account with the address that its identities give it. */
interface Addressed {
  user: User
  isConfirmed: boolean
  /** The address that has to be confirmed by mail first. */
  unproved: string | null
}

/** Only who has no address gets one. An address that nobody has proved is not theirs yet (rule 2). */
async function withAddress(ctx: AuthContext, user: User): Promise<Addressed> {
  const stays = { user, isConfirmed: false, unproved: null }
  if (user.email !== null) return stays
  const choice = await chooseOwnEmail(ctx, user.id, user.identities)
  if (!choice) throw emailExistsAtLinking()
  const { email, isVerified } = choice
  if (email !== null && !isVerified) return { ...stays, unproved: email }
  const permanent = { ...user, isAnonymous: false }
  if (email === null) return { ...stays, user: permanent }
  const confirmed = {
    ...permanent,
    email,
    emailConfirmedAt: ctx.clock.now(),
    userMetadata: { ...user.userMetadata, email_verified: true },
  }
  return { ...stays, user: confirmed, isConfirmed: true }
}

/** An account with the new identity, and as it was before. */
interface Linked extends Pick<Addressed, 'user' | 'isConfirmed'> {
  before: StoredUser
  identity: Identity
}

async function complete<End>(
  ctx: AuthContext,
  order: LinkOrder<End>,
  account: Linked,
): Promise<ExternallySignedIn<End> | null> {
  const signIn = order.prepare(account.user.id)
  const opensSession = 'sessionRows' in signIn.rows
  const user = opensSession ? { ...account.user, lastSignInAt: ctx.clock.now() } : account.user
  const { auditRows: _, ...rows } = signIn.rows
  const isStored = await store(ctx, order, { ...account, user }, { rows })
  return isStored ? { user, end: await signIn.complete(user) } : null
}

/** The identity is linked; what it ends in waits until the address is confirmed. */
async function askToConfirm<End>(
  ctx: AuthContext,
  order: LinkOrder<End>,
  account: Linked,
  email: string,
): Promise<null> {
  const { actor, person, redirectTo } = order
  await spendMessage(ctx, actor.userId, email)
  const user = withPendingEmail(account.user, email, ctx.clock.now())
  const message = emailChangeMessage(ctx, user, email, { codeChallenge: null, redirectTo })
  const event: AuditEvent = {
    action: 'user_confirmation_requested',
    actorId: user.id,
    traits: { provider: person.provider },
  }
  const isStored = await store(ctx, order, { ...account, user }, { message, event })
  if (!isStored) return null
  throw emailNotConfirmedAtLinking(person.label)
}

/** Spends what the mail to a new address costs. */
async function spendMessage(ctx: AuthContext, userId: string, email: string): Promise<void> {
  const address = { kind: 'email', value: email } as const
  requireReachable(ctx, address)
  await requireDeliverable(ctx, address)
  const limits = sendLimitsOf(ctx, 'email-change', address, userId)
  const spending = spendLimits(limits, ctx.clock.now())
  const { spent } = await findForUpdate(ctx.sql, spending, userId, { email, phone: null })
  settleSending(ctx, spent, limits, 'email')
}

interface Coming {
  rows?: SignInRows
  message?: TokenMessage
  event?: AuditEvent
}

/** False when another request was faster. */
async function store<End>(
  ctx: AuthContext,
  { actor: { sessionId }, tokens }: LinkOrder<End>,
  { before, user, identity, isConfirmed }: Linked,
  { rows, message, event }: Coming,
): Promise<boolean> {
  const note = auditNote(ctx, linked(identity), ...(event ? [event] : []))
  const claim = addressClaim(ctx, { actorId: user.id })
  const notices = outboxRows(ctx, identityNotice(ctx, 'identityLinked', user, identity.provider))
  const isSaved = await changeUser(ctx, {
    before,
    after: user,
    passwordHash: before.passwordHash,
    registration: isConfirmed ? null : before.registration,
    ...(sessionId !== null && { askingSessionId: sessionId }),
    // What was sent before the account had its address is for another one.
    voidsTokens: isConfirmed,
    claim,
    ...rows,
    ...(tokens && { providerTokenRows: providerTokenRows(ctx, identity, tokens) }),
    ...rowsOfMessages(...(message ? [message] : []), { tokens: [], messages: notices }),
    auditRows: note.rows,
  }).catch((error: unknown) => {
    // Somebody else stored the identity, or took the address, at this moment.
    if (error instanceof AuthError && error.code === 'conflict') return false
    throw error
  })
  if (!isSaved) return false
  note.log()
  claim.log()
  if (message || notices.length > 0) ctx.outbox.wake()
  return true
}
