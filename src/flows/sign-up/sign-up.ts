import { type AuditNote, auditNote } from '../../audit/audit-note.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { type IssuedSession, newSession, newSessionRow } from '../../sessions/session.ts'
import { findRecipient } from '../../steps/find-recipient.ts'
import { issueSession } from '../../steps/issue-session.ts'
import {
  accountOfNewcomer,
  metadataOfNewcomer,
  type NewcomerInput,
} from '../../steps/newcomer-account.ts'
import {
  mailToken,
  rowsOfMessages,
  type TokenMessage,
  textToken,
} from '../../steps/token-message.ts'
import { type Account, isConfirmed } from '../../users/account.ts'
import { findByAddress, type StoredAccount } from '../../users/find-account.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { userAlreadyExists } from '../../users/user-errors.ts'
import { readSignUp, type SignUp, type SignUpInput } from './read-sign-up.ts'

export interface SignUpResult {
  account: Account
  /** Null until the address is confirmed. */
  session: IssuedSession | null
}

/** A sign-up with all that is known before the database is asked. */
interface Attempt extends Omit<SignUp, 'password'>, NewcomerInput {
  passwordHash: string
}

/**
 * Signs up by email or phone and password.
 *
 * An address that somebody proved is answered with a user who does not exist (with autoconfirm, where
 * such an answer would need a session: an error). One that nobody proved belongs to whoever signed up
 * last. No session of an existing user is ever handed out.
 *
 * @throws AuthError `signup_disabled` (422), `anonymous_provider_disabled` (422), `weak_password`
 *   (422), `validation_failed` (400), `email_provider_disabled`, `phone_provider_disabled` (400),
 *   `user_already_exists` (422 for an email, 400 for a phone), and where a message has to confirm the
 *   address, what `findRecipient` throws.
 */
export async function signUp(ctx: AuthContext, input: SignUpInput): Promise<SignUpResult> {
  const { password, ...signUp } = readSignUp(ctx, input)
  const attempt: Attempt = {
    ...signUp,
    passwordHash: await ctx.passwords.hash(password),
    confirmed: ctx.config[signUp.address.kind === 'email' ? 'email' : 'sms'].autoconfirm,
    now: ctx.clock.now(),
  }
  const existing = await findExisting(ctx, attempt)
  // A lost race against another sign-up of the same address shows at the second look.
  const result =
    (await tryToSignUp(ctx, attempt, existing)) ??
    (await tryToSignUp(ctx, attempt, await findByAddress(ctx.sql, attempt.address, null))) ??
    (await answerDuplicate(ctx, attempt))
  // Where addresses confirm themselves, there is nothing to send.
  if (!attempt.confirmed) ctx.outbox.wake()
  return result
}

/** Whoever has the address already. Where it takes a message to confirm it, that is counted. */
const findExisting = (ctx: AuthContext, { address, confirmed }: Attempt) =>
  confirmed ? findByAddress(ctx.sql, address, null) : findRecipient(ctx, 'sign-up', address, null)

/** Null when another request was faster. */
async function tryToSignUp(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredAccount | null,
): Promise<SignUpResult | null> {
  if (!existing) {
    return attempt.confirmed ? createWithSession(ctx, attempt) : createUnproved(ctx, attempt)
  }
  const isProved = isConfirmed(existing.account)
  const isElsewhere = existing.account.audience !== ctx.request.audience
  const isFree = !isProved && !isElsewhere && !attempt.confirmed
  if (!isFree) return answerDuplicate(ctx, attempt, existing.account)
  return takeOver(ctx, attempt, existing)
}

async function createWithSession(ctx: AuthContext, attempt: Attempt): Promise<SignUpResult | null> {
  const { now, passwordHash } = attempt
  const account = { ...accountOfNewcomer(ctx, attempt), lastSignInAt: now }
  const session = newSession(ctx.random.uuid(), 'password', now)
  const traits = { provider: attempt.address.kind }
  const note = auditNote(
    ctx,
    { action: 'user_signedup', actorId: account.id, traits },
    { action: 'login', actorId: account.id, traits },
  )
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash,
    sessionRows: jsonRows(newSessionRow(session, account.id, ctx.request)),
    auditRows: note.rows,
  })
  if (!stored) return null
  note.log()
  return issueSession(ctx, account, session, 0)
}

async function createUnproved(ctx: AuthContext, attempt: Attempt): Promise<SignUpResult | null> {
  const account = { ...accountOfNewcomer(ctx, attempt), confirmationSentAt: attempt.now }
  const message = confirmation(ctx, attempt, account)
  const note = confirmationRequested(ctx, attempt, account.id)
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash: attempt.passwordHash,
    ...rowsOfMessages(message),
    auditRows: note.rows,
  })
  if (!stored) return null
  note.log()
  return { account, session: null }
}

/** The latest sign-up of an unproved address replaces password, metadata and link of the earlier. */
async function takeOver(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredAccount,
): Promise<SignUpResult | null> {
  const { address, now } = attempt
  const before = existing.account
  const userMetadata = metadataOfNewcomer(before.id, attempt)
  const identities = before.identities.map((identity) =>
    identity.provider === address.kind
      ? { ...identity, identityData: userMetadata, updatedAt: now }
      : identity,
  )
  const stamps = { confirmationSentAt: now, updatedAt: now }
  const after: Account = { ...before, ...stamps, userMetadata, identities }
  const message = confirmation(ctx, attempt, after)
  const note = confirmationRequested(ctx, attempt, before.id)
  const replaced = await saveAccount(ctx.sql, {
    ...{ before: existing, after, passwordHash: attempt.passwordHash },
    ...rowsOfMessages(message),
    auditRows: note.rows,
  })
  if (!replaced) return null
  note.log()
  // What an operator or an earlier sign-up stored is not for whoever asks last.
  const shown: Account = {
    ...accountOfNewcomer(ctx, { ...attempt, id: before.id }),
    confirmationSentAt: now,
    createdAt: before.createdAt,
    identities: identities.filter(({ provider }) => provider === address.kind),
  }
  return { account: shown, session: null }
}

/** Answers as if the address were new, so that nobody learns who has an account. */
async function answerDuplicate(
  ctx: AuthContext,
  attempt: Attempt,
  existing?: Account,
): Promise<SignUpResult> {
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
  note.log()
  if (attempt.confirmed) throw userAlreadyExists(address.kind === 'email' ? 422 : 400)
  // Applications tell a repeated sign-up by the missing identities; the wire has always shown that.
  return { account: { ...fake, confirmationSentAt: now, identities: [] }, session: null }
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
