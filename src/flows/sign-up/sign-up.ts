import { type AuditNote, auditNote } from '../../audit/audit-note.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import type { Unread } from '../../http/endpoint.ts'
import { giveBackLimits } from '../../limits/give-back-limits.sql.ts'
import type { Turn } from '../../passwords/gate.ts'
import type { SessionTokens } from '../../sessions/session-tokens.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { findHolder } from '../../steps/find-recipient.ts'
import { hashingTurn } from '../../steps/hashing-turn.ts'
import {
  accountOfNewcomer,
  keysOfNewcomer,
  type NewcomerInput,
} from '../../steps/newcomer-account.ts'
import { withoutRegisteredMetadata } from '../../steps/prove-address.ts'
import { requesterOf } from '../../steps/requester-of.ts'
import { requireNamedAudience } from '../../steps/require-named-audience.ts'
import { sendLimitsOf } from '../../steps/send-limits-of.ts'
import {
  mailToken,
  rowsOfMessages,
  type TokenMessage,
  textToken,
} from '../../steps/token-message.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { type Account, isConfirmed } from '../../users/account.ts'
import { findByAddress, type StoredAccount } from '../../users/find-account.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import { isUnclaimed, registrationAfter } from '../../users/registration.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { userAlreadyExists } from '../../users/user-errors.ts'
import { readSignUp, type SignUp } from './read-sign-up.ts'
import type { SignUpInput } from './sign-up.endpoint.ts'

export interface SignUpResult {
  account: Account
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

/** A sign-up with all that is known before the database is asked. */
interface Attempt extends SignUp, NewcomerInput {
  requestedFrom: string | null
  /** What was hashed so far: who loses a race has paid for it already. */
  paid: { hash: Promise<string> | null; isAny: boolean }
}

/** What came of an attempt, and what the log has yet to be told once it is stored for good. */
interface Outcome {
  result: SignUpResult
  note?: AuditNote
}

/**
 * Signs up by email or phone and password.
 *
 * An address that somebody proved is answered with a user who does not exist (with autoconfirm, where
 * such an answer would need a session: an error). For one that nobody proved, the latest request of one client
 * counts; those of different clients compete, and a proof keeps what none of them brought. To a user whom an
 * operator made or invited a sign-up brings nothing but a link. Each of these is answered as if the address were new,
 * with the id that the account has. No session of an existing user is ever handed out.
 *
 * @throws AuthError `signup_disabled` (422), `anonymous_provider_disabled` (422), `weak_password`
 *   (422), `validation_failed` (400), `email_provider_disabled`, `phone_provider_disabled` (400),
 *   `user_already_exists` (422 for an email, 400 for a phone), and where a message has to confirm the
 *   address, what `findHolder` throws.
 */
export async function signUp(ctx: AuthContext, input: Unread<SignUpInput>): Promise<SignUpResult> {
  const signUp = readSignUp(ctx, input)
  const attempt: Attempt = {
    ...signUp,
    requestedFrom: requesterOf(ctx),
    paid: { hash: null, isAny: false },
    confirmed: ctx.config[signUp.address.kind === 'email' ? 'email' : 'sms'].autoconfirm,
    now: ctx.clock.now(),
  }
  const existing = await findExisting(ctx, attempt)
  // A lost race against another sign-up of the same address shows at the second look.
  const { result, note } =
    (await tryToSignUp(ctx, attempt, existing)) ??
    (await tryToSignUp(ctx, attempt, await findByAddress(ctx.sql, attempt.address, null))) ??
    (await joinInTurn(ctx, attempt))
  note?.log()
  // Where addresses confirm themselves, whoever has one already is told so.
  if (attempt.confirmed && !result.session) {
    throw userAlreadyExists(attempt.address.kind === 'email' ? 422 : 400)
  }
  // Where addresses confirm themselves, there is nothing to send.
  if (!attempt.confirmed) ctx.outbox.wake()
  return result
}

/** Whoever has the address already. Where it takes a message to confirm it, that is counted. */
async function findExisting(ctx: AuthContext, { address, confirmed }: Attempt) {
  if (!confirmed) return findHolder(ctx, 'sign-up', address)
  await requireNamedAudience(ctx)
  return findByAddress(ctx.sql, address, null)
}

/** Null when another request was faster. */
async function tryToSignUp(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredAccount | null,
): Promise<Outcome | null> {
  if (existing && isTaken(ctx, attempt, existing)) {
    // The password is hashed for nobody, too: it takes time. Where the answer tells, it need not.
    if (!attempt.confirmed) await hash(ctx, attempt)
    return answerDuplicate(ctx, attempt, existing.account)
  }
  if (existing) return join(ctx, attempt, existing)
  const passwordHash = await hash(ctx, attempt)
  return attempt.confirmed
    ? createWithSession(ctx, attempt, passwordHash)
    : createUnproved(ctx, attempt, passwordHash)
}

/**
 * Takes turns with the others who want the address at this moment, and were faster twice: each gets a message
 * of their own. What was hashed before is not hashed again while others wait.
 */
async function joinInTurn(ctx: AuthContext, attempt: Attempt): Promise<Outcome> {
  const holder = await findByAddress(ctx.sql, attempt.address, null)
  if (!holder) return answerDuplicate(ctx, attempt)
  return withLockedUser(ctx, holder.account.id, async (tx) => {
    const existing = await findByAddress(tx.sql, attempt.address, null)
    const isFree = existing && !isTaken(tx, attempt, existing)
    const joined = isFree && (await join(tx, attempt, existing))
    return joined || answerDuplicate(tx, attempt, existing?.account)
  })
}

const hash = (ctx: AuthContext, attempt: Attempt): Promise<string> =>
  (attempt.paid.hash ??= inTurn(ctx, attempt, (turn) => ctx.passwords.hash(attempt.password, turn)))

/** Where too many passwords are hashed, nothing is sent; so the next attempt need not wait for its interval. */
async function inTurn<T>(
  ctx: AuthContext,
  { address, confirmed, paid }: Attempt,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  paid.isAny = true
  try {
    return await work(hashingTurn(ctx, address.value, false))
  } catch (error) {
    if (!confirmed) await giveBackLimits(ctx.sql, sendLimitsOf(ctx, 'sign-up', address))
    throw error
  }
}

/** Whether the address is somebody's, whom a sign-up does not concern. */
function isTaken(ctx: AuthContext, attempt: Attempt, existing: StoredAccount): boolean {
  if (attempt.confirmed || isConfirmed(existing.account)) return true
  // Whoever only registered elsewhere keeps the address from nobody.
  return !isUnclaimed(existing) && existing.account.audience !== ctx.request.audience
}

async function createWithSession(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<Outcome | null> {
  const { now } = attempt
  const account = { ...accountOfNewcomer(ctx, attempt), lastSignInAt: now }
  const recorded = { actorId: account.id, traits: { provider: attempt.address.kind } }
  const signIn = prepareSession(ctx, {
    userId: account.id,
    method: 'password',
    events: [
      { action: 'user_signedup', ...recorded },
      { action: 'login', ...recorded },
    ],
  })
  const inserted = { account, passwordHash, registration: null, ...signIn.rows }
  return (await insertAccount(ctx.sql, inserted))
    ? { result: await signIn.complete(account) }
    : null
}

async function createUnproved(
  ctx: AuthContext,
  attempt: Attempt,
  passwordHash: string,
): Promise<Outcome | null> {
  const account = { ...accountOfNewcomer(ctx, attempt), confirmationSentAt: attempt.now }
  const message = confirmation(ctx, attempt, account)
  const note = confirmationRequested(ctx, attempt, account.id)
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash,
    registration: { by: 'signup', from: attempt.requestedFrom, keys: keysOfNewcomer(attempt) },
    ...rowsOfMessages(message),
    auditRows: note.rows,
  })
  return stored ? { result: { account, session: null }, note } : null
}

/** Another sign-up for an address that nobody has proved; null when another request was faster. */
async function join(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredAccount,
): Promise<Outcome | null> {
  const before = existing.account
  const { address, now } = attempt
  const sent = { confirmationSentAt: now }
  const stamps = { ...sent, updatedAt: now }
  const said = accountOfNewcomer(ctx, { ...attempt, id: before.id })
  const identities = before.identities
    .filter(({ provider }) => provider === address.kind)
    .map((identity) => ({ ...identity, identityData: said.userMetadata, updatedAt: now }))
  const signedUp: Account = { ...said, ...stamps, createdAt: before.createdAt, identities }
  const message = confirmation(ctx, attempt, signedUp)
  const note = confirmationRequested(ctx, attempt, before.id)
  const { account, ...credentials } = await contend(ctx, attempt, existing, signedUp)
  const isStored = await saveAccount(ctx.sql, {
    before: existing,
    after: { ...account, ...stamps },
    ...credentials,
    ...rowsOfMessages(message),
    auditRows: note.rows,
  })
  if (!isStored) return null
  return { result: { account: shownAsNew(said, before), session: null }, note }
}

/**
 * The answer to another sign-up: what a new one is answered, save for the ids, which applications store. Nothing of
 * it tells who made the account, nor when.
 */
const shownAsNew = (said: Account, { identities }: Account): Account => ({
  ...said,
  confirmationSentAt: said.createdAt,
  identities: said.identities.map((shown) => ({
    ...shown,
    id: identities.find(({ provider }) => provider === shown.provider)?.id ?? shown.id,
  })),
})

/**
 * What an account holds after another sign-up. The latest one of a client, or of whoever knows the password
 * of the earlier, takes the earlier one's place; one of another client competes; to a user of an operator's it
 * brings nothing. Each way costs one hash, so that none shows.
 */
async function contend(
  ctx: AuthContext,
  attempt: Attempt,
  stored: StoredAccount,
  said: Account,
): Promise<Omit<StoredAccount, 'version'>> {
  const { account, passwordHash, registration } = stored
  const request = { by: 'signup', from: attempt.requestedFrom } as const
  const after = registrationAfter(stored, request)
  const isLatest = after?.by === 'signup'
  const isRepeated = !isLatest && (await repeats(ctx, attempt, stored))
  if (!registration || !(isLatest || isRepeated)) {
    return { account, passwordHash, registration: after }
  }
  const identities = account.identities.map(
    (identity) => said.identities.find(({ id }) => id === identity.id) ?? identity,
  )
  const ofOperators = withoutRegisteredMetadata(account, registration).userMetadata
  return {
    account: { ...account, userMetadata: { ...said.userMetadata, ...ofOperators }, identities },
    passwordHash: isRepeated ? passwordHash : await hash(ctx, attempt),
    registration: {
      by: 'signup',
      from: registration.from,
      keys: keysOfNewcomer(attempt).filter((key) => !Object.hasOwn(ofOperators, key)),
    },
  }
}

/** Whether somebody knows the password of the sign-up before theirs. */
async function repeats(
  ctx: AuthContext,
  attempt: Attempt,
  stored: StoredAccount,
): Promise<boolean> {
  const { password, paid } = attempt
  const passwordHash = ownHash(stored)
  if (passwordHash === null && paid.isAny) return false
  return inTurn(ctx, attempt, (turn) => ctx.passwords.verify(passwordHash, password, turn))
}

/** The hash that an earlier sign-up left, where it costs what a new one does; others would show by the time. */
const ownHash = ({ passwordHash, registration }: StoredAccount): string | null =>
  registration?.by === 'signup' && passwordHash?.startsWith('$argon2id$') ? passwordHash : null

/** Answers as if the address were new, so that nobody learns who has an account. */
async function answerDuplicate(
  ctx: AuthContext,
  attempt: Attempt,
  existing?: Account,
): Promise<Outcome> {
  const { address, now } = attempt
  const entry = {
    action: 'user_repeated_signup',
    traits: { provider: address.kind },
    ...(existing && { userId: existing.id }),
  } as const
  const fake = accountOfNewcomer(ctx, attempt)
  // Made for nobody, too, and thrown away: to make a message takes time.
  if (!attempt.confirmed) confirmation(ctx, attempt, fake)
  const note = auditNote(ctx, entry)
  await insertAuditEntries(ctx.sql, note.rows)
  // Applications tell a repeated sign-up by the missing identities; the wire has always shown that.
  const account = { ...fake, confirmationSentAt: now, identities: [] }
  return { result: { account, session: null }, note }
}

/** The link and code that confirm the address of a sign-up. */
function confirmation(ctx: AuthContext, attempt: Attempt, account: Account): TokenMessage {
  const { address, codeChallenge, channel, redirectTo } = attempt
  const order = { account, to: address, codeChallenge } as const
  const token = { ...order, purpose: 'confirmation', requestedBy: 'signup' } as const
  return address.kind === 'email'
    ? mailToken(ctx, 'confirmation', token, redirectTo)
    : textToken(ctx, 'confirmation', token, channel)
}

const confirmationRequested = (ctx: AuthContext, { address }: Attempt, userId: string): AuditNote =>
  auditNote(ctx, {
    action: 'user_confirmation_requested',
    actorId: userId,
    traits: { provider: address.kind },
  })
