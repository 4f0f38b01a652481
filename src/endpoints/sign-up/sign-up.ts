import { recordAlone } from '../../accounts/acts/record-act.ts'
import { findHolder } from '../../accounts/addresses/find-recipient.ts'
import { requireDeliverable } from '../../accounts/addresses/require-reachable.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import { rowsOfMessages } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { approveNewUser } from '../../accounts/lifecycle/approve-new-user.ts'
import { createUser } from '../../accounts/lifecycle/create-user.ts'
import { keysOfNewcomer, newcomerUser } from '../../accounts/lifecycle/newcomer.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import { findByAddress, type StoredUser } from '../../accounts/users/find-user.sql.ts'
import { requireFreeUsername } from '../../accounts/users/find-username-holder.sql.ts'
import { isUnclaimed } from '../../accounts/users/registration.ts'
import { requireNamedAudience } from '../../accounts/users/require-named-audience.ts'
import { isConfirmed, type User } from '../../accounts/users/user.ts'
import { userAlreadyExists } from '../../accounts/users/user-errors.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import type { Unread } from '../http/endpoint.ts'
import {
  type Attempt,
  confirmation,
  confirmationRequested,
  hashOnce,
  type SignUpResponse,
} from './attempt.ts'
import { joinRegistration } from './join-registration.ts'
import { readSignUp, type SignUp } from './read-sign-up.ts'
import { isAnonymousSignUp, signInAnonymously } from './sign-in-anonymously.ts'
import type { SignUpInput } from './sign-up.endpoint.ts'

/**
 * Signs up by email or phone and password.
 *
 * An address that somebody proved is answered with a user who does not exist (with autoconfirm, where
 * such an answer would need a session: an error). For one that nobody proved, the latest request of one client
 * counts; those of different clients compete, and a proof keeps what none of them brought. To a user whom an
 * operator made or invited a sign-up brings nothing but a link. Each of these is answered as if the address were new,
 * with the id that the account has. No session of an existing user is ever handed out.
 *
 * @throws AuthError what `approveNewUser` throws, `signup_disabled` (422), `anonymous_provider_disabled` (422), `weak_password`
 *   (422), `validation_failed` (400), `email_provider_disabled`, `phone_provider_disabled` (400),
 *   `user_already_exists` (422 for an email, 400 for a phone), and where a message has to confirm the
 *   address, what `findHolder` throws; for a user name `validation_failed` (400, 422),
 *   `username_exists` (422).
 */
export async function signUp(
  ctx: AuthContext,
  input: Unread<SignUpInput>,
): Promise<SignUpResponse> {
  if (isAnonymousSignUp(input)) return signInAnonymously(ctx, input)
  const signUp = await readSignUp(ctx, input)
  const planned = newAttempt(ctx, signUp)
  // Requested whether or not the address is taken, so that neither response nor time reveals it.
  const attempt = { ...planned, approval: await approveNewUser(ctx, planned.newcomer) }
  // Precedes the look-up of the address and considers held names only, so that the response does not
  // depend on the address.
  await requireFreeUsername(ctx.sql, attempt.newcomer)
  const existing = await findExisting(ctx, attempt)
  // A lost race against another sign-up of the same address shows at the second look.
  const response =
    (await tryToSignUp(ctx, attempt, existing)) ??
    (await tryAgain(ctx, attempt)) ??
    (await joinInTurn(ctx, attempt))
  // Where addresses confirm themselves, whoever has one already is told so.
  if (attempt.confirmed && !response.session) {
    throw userAlreadyExists(attempt.address.kind === 'email' ? 422 : 400)
  }
  return response
}

function newAttempt(ctx: AuthContext, signUp: SignUp): Omit<Attempt, 'approval'> {
  const confirmed = ctx.config[signUp.address.kind === 'email' ? 'email' : 'sms'].autoconfirm
  const input = { ...signUp, confirmed, now: ctx.clock.now() }
  return {
    ...input,
    newcomer: newcomerUser(ctx, input),
    requestedFrom: requesterOf(ctx),
    paid: { hash: null, isAny: false },
  }
}

/** Whoever has the address already. Where it takes a message to confirm it, that is counted. */
async function findExisting(ctx: AuthContext, { address, confirmed }: Attempt) {
  if (!confirmed) return findHolder(ctx, 'sign-up', address)
  await requireNamedAudience(ctx)
  await requireDeliverable(ctx, address)
  return findByAddress(ctx.sql, address, null)
}

/** Null when another request was faster. */
async function tryToSignUp(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredUser | null,
): Promise<SignUpResponse | null> {
  if (existing && isTaken(ctx, attempt, existing)) {
    // The password is hashed for nobody, too: it takes time. Where the answer tells, it need not.
    if (!attempt.confirmed) await hashOnce(ctx, attempt)
    return answerDuplicate(ctx, attempt, existing.user)
  }
  if (existing) return joinRegistration(ctx, attempt, existing)
  const passwordHash = await hashOnce(ctx, attempt)
  return attempt.confirmed
    ? createWithSession(ctx, attempt, passwordHash)
    : createUnproved(ctx, attempt, passwordHash)
}

/** A lost race may have been for the address or for the user name. */
async function tryAgain(ctx: AuthContext, attempt: Attempt): Promise<SignUpResponse | null> {
  await requireFreeUsername(ctx.sql, attempt.newcomer)
  return tryToSignUp(ctx, attempt, await findByAddress(ctx.sql, attempt.address, null))
}

/**
 * Takes turns with the others who want the address at this moment, and were faster twice: each gets a message
 * of their own. What was hashed before is not hashed again while others wait.
 */
async function joinInTurn(ctx: AuthContext, attempt: Attempt): Promise<SignUpResponse> {
  const holder = await findByAddress(ctx.sql, attempt.address, null)
  if (!holder) return answerDuplicate(ctx, attempt)
  return withLockedUser(ctx, holder.user.id, async (tx) => {
    const existing = await findByAddress(tx.sql, attempt.address, null)
    const isFree = existing && !isTaken(tx, attempt, existing)
    const joined = isFree && (await joinRegistration(tx, attempt, existing))
    return joined || answerDuplicate(tx, attempt, existing?.user)
  })
}

/** Whether the address is somebody's, whom a sign-up does not concern. */
function isTaken(ctx: AuthContext, attempt: Attempt, existing: StoredUser): boolean {
  if (attempt.confirmed || isConfirmed(existing.user)) return true
  // Whoever only registered elsewhere keeps the address from nobody.
  return !isUnclaimed(existing) && existing.user.audience !== ctx.request.audience
}

async function createWithSession(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<SignUpResponse | null> {
  const { now } = attempt
  const user = { ...attempt.newcomer, lastSignInAt: now }
  const recorded = { actorId: user.id, traits: { provider: attempt.address.kind } }
  const signIn = prepareSession(ctx, { userId: user.id, method: 'password' })
  const isCreated = await createUser(ctx, {
    user,
    approval: attempt.approval,
    passwordHash,
    registration: null,
    audit: [
      { action: 'user_signedup', ...recorded },
      { action: 'login', ...recorded },
    ],
    sessionRows: signIn.rows.sessionRows,
  })
  return isCreated ? signIn.complete(user) : null
}

async function createUnproved(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<SignUpResponse | null> {
  const user = { ...attempt.newcomer, confirmationSentAt: attempt.now }
  const message = confirmation(ctx, attempt, user)
  const isCreated = await createUser(ctx, {
    user,
    approval: attempt.approval,
    passwordHash,
    registration: { by: 'signup', from: attempt.requestedFrom, keys: keysOfNewcomer(attempt) },
    audit: confirmationRequested(attempt, user.id),
    isConcealed: true,
    ...rowsOfMessages(message),
  })
  return isCreated ? { user, session: null } : null
}

/** Answers as if the address were new, so that nobody learns who has an account. */
async function answerDuplicate(
  ctx: AuthContext,
  attempt: Attempt,
  existing?: User,
): Promise<SignUpResponse> {
  const { address, newcomer: fake, now } = attempt
  const entry = {
    action: 'user_repeated_signup',
    traits: { provider: address.kind },
    ...(existing ? { userId: existing.id } : { unknownAddress: address.value }),
  } as const
  // Applications tell a repeated sign-up by the missing identities; the wire has always shown that.
  const user = { ...fake, confirmationSentAt: now, identities: [] }
  const response = { user, session: null }
  if (attempt.confirmed) {
    await recordAlone(ctx, entry)
    return response
  }
  // Made for nobody, too, and thrown away: to make a message takes time.
  confirmation(ctx, attempt, fake)
  const counted = sendLimitsOf(ctx, 'sign-up', address)
  await storeMessageRequest(ctx, { userId: null, message: null, counted, audit: entry })
  return response
}
