import { recordAlone } from '../../accounts/acts/record-act.ts'
import { findAddressUser } from '../../accounts/addresses/find-recipient.ts'
import { requireDeliverable } from '../../accounts/addresses/require-reachable.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import { rowsOfMessages } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { approveNewUser, createUser } from '../../accounts/lifecycle/create-user.ts'
import {
  newUserWithAddress,
  submittedMetadataKeys,
} from '../../accounts/lifecycle/new-user-with-address.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import { findByAddress, type StoredUser } from '../../accounts/users/find-user.sql.ts'
import { requireNamedAudience } from '../../accounts/users/require-named-audience.sql.ts'
import { isInReach } from '../../accounts/users/sign-up-origin.ts'
import { hasConfirmedAddress, type User } from '../../accounts/users/user.ts'
import { userAlreadyExists } from '../../accounts/users/user-errors.ts'
import { requireFreeUsername } from '../../accounts/users/usernames.sql.ts'
import { withLookupSemaphore } from '../../limits/lookup-semaphore.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import {
  type Attempt,
  confirmation,
  confirmationRequested,
  hashOnce,
  type SignUpResponse,
} from './attempt.ts'
import { readSignUp, type SignUp } from './read-sign-up.ts'
import { signInAnonymously } from './sign-in-anonymously.ts'
import { isAnonymousSignUp, type SignUpInput } from './sign-up.endpoint.ts'
import { signUpAgain } from './sign-up-again.ts'

/**
 * Signs up by email or phone and password.
 *
 * For a confirmed address, the response contains a decoy user; with autoconfirm, it is an error,
 * because the response would need a session. For an unconfirmed address, the latest request of one
 * client replaces its earlier ones. Requests of different clients compete, and a confirmation keeps
 * the data of none of them. To a user whom an operator created or invited, a sign-up sends only a
 * link. Each of these responses is as for a new address, with the id of the account. A session of
 * an existing user is never returned.
 *
 * @throws AuthError the errors of `approveNewUser`, `signup_disabled` (422),
 *   `anonymous_provider_disabled` (422), `weak_password` (422), `validation_failed` (400),
 *   `email_provider_disabled`, `phone_provider_disabled` (400), `user_already_exists` (422 for an
 *   email, 400 for a phone), and where a message must confirm the address, the errors of
 *   `findAddressUser`; for a user name `validation_failed` (400, 422), `username_exists` (422).
 */
export async function signUp(
  ctx: AuthContext,
  input: Unvalidated<SignUpInput>,
): Promise<SignUpResponse> {
  if (isAnonymousSignUp(input)) return signInAnonymously(ctx, input)
  const signUp = await readSignUp(ctx, input)
  const planned = newAttempt(ctx, signUp)
  // Requested whether or not the address is taken, so that neither response nor time reveals it.
  const attempt = { ...planned, approval: await approveNewUser(ctx, planned.newUser) }
  // Precedes the look-up of the address and considers held names only, so that the response does not
  // depend on the address.
  await requireFreeUsername(ctx.sql, attempt.newUser)
  const existing = await findExisting(ctx, attempt)
  // A lost race against another sign-up of the same address shows at the second look.
  const response =
    (await tryToSignUp(ctx, attempt, existing)) ??
    (await tryAgain(ctx, attempt)) ??
    (await joinInTurn(ctx, attempt))
  // With autoconfirm, an existing address is reported.
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
    newUser: newUserWithAddress(ctx, input),
    requestedFrom: requesterOf(ctx),
    paid: { hash: null, isAny: false },
  }
}

/** Finds the user with the address. A message that must confirm it is counted. */
async function findExisting(ctx: AuthContext, { address, confirmed }: Attempt) {
  if (!confirmed) return findAddressUser(ctx, { address, by: 'signup', slot: 'sign-up' })
  await requireNamedAudience(ctx)
  await requireDeliverable(ctx, address)
  return withLookupSemaphore(ctx, 'sign-up', address.value, () =>
    findByAddress(ctx.sql, address, null),
  )
}

/** Returns null when a concurrent request changed the account. */
async function tryToSignUp(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredUser | null,
): Promise<SignUpResponse | null> {
  if (existing && isTaken(ctx, attempt, existing)) {
    // The password is also hashed for a taken address, so that the time does not reveal it. With
    // autoconfirm, the response does.
    if (!attempt.confirmed) await hashOnce(ctx, attempt)
    return answerDuplicate(ctx, attempt, existing.user)
  }
  if (existing) return signUpAgain(ctx, attempt, existing)
  const passwordHash = await hashOnce(ctx, attempt)
  return attempt.confirmed
    ? createWithSession(ctx, attempt, passwordHash)
    : createUnconfirmed(ctx, attempt, passwordHash)
}

/** Tries again after a lost race for the address or for the user name. */
async function tryAgain(ctx: AuthContext, attempt: Attempt): Promise<SignUpResponse | null> {
  await requireFreeUsername(ctx.sql, attempt.newUser)
  return tryToSignUp(ctx, attempt, await findByAddress(ctx.sql, attempt.address, null))
}

/**
 * Joins the sign-up under a lock after concurrent requests for the address won two races. Each
 * request gets a message of its own. A computed hash is reused.
 */
async function joinInTurn(ctx: AuthContext, attempt: Attempt): Promise<SignUpResponse> {
  const holder = await findByAddress(ctx.sql, attempt.address, null)
  if (!holder) return answerDuplicate(ctx, attempt)
  return withLockedUser(ctx, holder.user.id, async (tx) => {
    const existing = await findByAddress(tx.sql, attempt.address, null)
    const isFree = existing && !isTaken(tx, attempt, existing)
    const joined = isFree && (await signUpAgain(tx, attempt, existing))
    return joined || answerDuplicate(tx, attempt, existing?.user)
  })
}

/** Whether the address belongs to a user that a sign-up must not change. */
function isTaken(ctx: AuthContext, attempt: Attempt, existing: StoredUser): boolean {
  if (attempt.confirmed || hasConfirmedAddress(existing.user)) return true
  return !isInReach(existing, ctx.request.audience)
}

async function createWithSession(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<SignUpResponse | null> {
  const { now } = attempt
  const user = { ...attempt.newUser, lastSignInAt: now }
  const recorded = { actorId: user.id, traits: { provider: attempt.address.kind } }
  const signIn = prepareSession(ctx, { userId: user.id, method: 'password' })
  const isCreated = await createUser(ctx, {
    user,
    approval: attempt.approval,
    passwordHash,
    signUpOrigin: null,
    audit: [
      { action: 'user_signedup', ...recorded },
      { action: 'login', ...recorded },
    ],
    sessionRows: signIn.rows.sessionRows,
  })
  return isCreated ? signIn.complete(user) : null
}

async function createUnconfirmed(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<SignUpResponse | null> {
  const user = { ...attempt.newUser, confirmationSentAt: attempt.now }
  const message = confirmation(ctx, attempt, user)
  const isCreated = await createUser(ctx, {
    user,
    approval: attempt.approval,
    passwordHash,
    signUpOrigin: {
      by: 'signup',
      from: attempt.requestedFrom,
      keys: submittedMetadataKeys(attempt),
    },
    audit: confirmationRequested(attempt, user.id),
    isConcealed: true,
    ...rowsOfMessages(message),
  })
  return isCreated ? { user, session: null } : null
}

/** Responds as to a new address, so that the response does not reveal the account. */
async function answerDuplicate(
  ctx: AuthContext,
  attempt: Attempt,
  existing?: User,
): Promise<SignUpResponse> {
  const { address, newUser: fake, now } = attempt
  const entry = {
    action: 'user_repeated_signup',
    traits: { provider: address.kind },
    ...(existing ? { userId: existing.id } : { unknownAddress: address.value }),
  } as const
  // Applications detect a repeated sign-up by the missing identities, which are part of the wire.
  const user = { ...fake, confirmationSentAt: now, identities: [] }
  const response = { user, session: null }
  if (attempt.confirmed) {
    await recordAlone(ctx, entry)
    return response
  }
  // The message is also built for a taken address, and discarded, so that the response takes as
  // long.
  confirmation(ctx, attempt, fake)
  const counted = sendLimitsOf(ctx, 'sign-up', address)
  await storeMessageRequest(ctx, { userId: null, message: null, counted, audit: entry })
  return response
}
