import { auditRows } from '../../audit/audit-row.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { issueOneTimeToken } from '../../one-time-tokens/issue-one-time-token.ts'
import { type IssuedSession, newSession, newSessionRow } from '../../sessions/session.ts'
import { issueSession } from '../../steps/issue-session.ts'
import { type Account, confirmedAt } from '../../users/account.ts'
import { findByAddress } from '../../users/find-account.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import type { NewAddress } from '../../users/new-account.ts'
import { addressIdentityData, newAccount } from '../../users/new-account.ts'
import { replaceUnproved } from '../../users/replace-unproved.sql.ts'
import { userAlreadyExists } from '../../users/user-errors.ts'
import { readSignUp, type SignUp, type SignUpInput } from './read-sign-up.ts'

export interface SignUpResult {
  account: Account
  /** Null until the address is confirmed. */
  session: IssuedSession | null
}

/** A sign-up with all that is known before the database is asked. */
interface Attempt extends Omit<SignUp, 'password'> {
  passwordHash: string
  autoconfirm: boolean
  now: Date
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
 *   `user_already_exists` (422 for an email, 400 for a phone).
 */
export async function signUp(ctx: AuthContext, input: SignUpInput): Promise<SignUpResult> {
  const { password, ...signUp } = readSignUp(ctx, input)
  const attempt: Attempt = {
    ...signUp,
    passwordHash: await ctx.passwords.hash(password),
    autoconfirm: ctx.config[signUp.address.kind === 'email' ? 'email' : 'sms'].autoconfirm,
    now: ctx.clock.now(),
  }
  // A lost race against another sign-up of the same address shows at the second look.
  return (
    (await tryToSignUp(ctx, attempt)) ??
    (await tryToSignUp(ctx, attempt)) ??
    (await answerDuplicate(ctx, attempt))
  )
}

/** Null when another request was faster. */
async function tryToSignUp(ctx: AuthContext, attempt: Attempt): Promise<SignUpResult | null> {
  const existing = await findByAddress(ctx.sql, attempt.address, null)
  if (!existing) {
    return attempt.autoconfirm ? createWithSession(ctx, attempt) : createUnproved(ctx, attempt)
  }
  const isProved = confirmedAt(existing.account) !== null
  const isElsewhere = existing.account.audience !== ctx.request.audience
  const isFree = !isProved && !isElsewhere && !attempt.autoconfirm
  if (!isFree) return answerDuplicate(ctx, attempt, existing.account)
  return takeOver(ctx, attempt, existing.account)
}

async function createWithSession(ctx: AuthContext, attempt: Attempt): Promise<SignUpResult | null> {
  const { now, passwordHash } = attempt
  const account = { ...accountOf(ctx, attempt), lastSignInAt: now }
  const session = newSession(ctx.random.uuid(), 'password', now)
  const traits = { provider: attempt.address.kind }
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash,
    sessionRows: jsonRows(newSessionRow(session, account.id, ctx.request)),
    auditRows: auditRows(
      ctx,
      { action: 'user_signedup', actorId: account.id, traits },
      { action: 'login', actorId: account.id, traits },
    ),
  })
  return stored ? issueSession(ctx, account, session, 0) : null
}

async function createUnproved(ctx: AuthContext, attempt: Attempt): Promise<SignUpResult | null> {
  const account = { ...accountOf(ctx, attempt), confirmationSentAt: attempt.now }
  const stored = await insertAccount(ctx.sql, {
    account,
    passwordHash: attempt.passwordHash,
    tokenRows: confirmationTokenRows(ctx, attempt, account.id),
    auditRows: confirmationRequested(ctx, attempt, account.id),
  })
  return stored ? { account, session: null } : null
}

/** The latest sign-up of an unproved address replaces password, metadata and link of the earlier. */
async function takeOver(
  ctx: AuthContext,
  attempt: Attempt,
  existing: Account,
): Promise<SignUpResult | null> {
  const { address, now } = attempt
  const userMetadata = metadataOf(existing.id, attempt)
  const account: Account = {
    ...existing,
    userMetadata,
    confirmationSentAt: now,
    updatedAt: now,
    identities: existing.identities.map((identity) =>
      identity.provider === address.kind
        ? { ...identity, identityData: userMetadata, updatedAt: now }
        : identity,
    ),
  }
  const replaced = await replaceUnproved(ctx.sql, {
    account,
    passwordHash: attempt.passwordHash,
    provider: address.kind,
    tokenRows: confirmationTokenRows(ctx, attempt, existing.id),
    auditRows: confirmationRequested(ctx, attempt, existing.id),
    now,
  })
  // What an operator or an earlier sign-up stored is not for whoever asks last.
  const shown: Account = {
    ...accountOf(ctx, attempt, existing.id),
    confirmationSentAt: now,
    createdAt: existing.createdAt,
    identities: account.identities.filter(({ provider }) => provider === address.kind),
  }
  return replaced ? { account: shown, session: null } : null
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
  await insertAuditEntries(ctx.sql, auditRows(ctx, entry))
  if (attempt.autoconfirm) throw userAlreadyExists(address.kind === 'email' ? 422 : 400)
  const fake = accountOf(ctx, attempt)
  // Applications tell a repeated sign-up by the missing identities; the wire has always shown that.
  return { account: { ...fake, confirmationSentAt: now, identities: [] }, session: null }
}

/** The account that a sign-up makes, or seems to make. */
function accountOf(ctx: AuthContext, attempt: Attempt, id?: string): Account {
  const account = newAccount(
    { random: ctx.random, now: attempt.now },
    {
      ...(id !== undefined && { id }),
      addresses: [newAddress(attempt)],
      audience: ctx.request.audience,
      role: ctx.config.jwt.defaultRole,
    },
  )
  const userMetadata = metadataOf(account.id, attempt)
  const identities = account.identities.map((identity) => ({
    ...identity,
    identityData: userMetadata,
  }))
  return { ...account, userMetadata, identities }
}

/** What the user said, and above it what we know. */
const metadataOf = (userId: string, attempt: Attempt): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(attempt.data).filter(([, value]) => value !== null)),
  ...addressIdentityData(userId, newAddress(attempt)),
})

const newAddress = ({ address, autoconfirm }: Attempt): NewAddress => ({
  ...address,
  confirmed: autoconfirm,
})

function confirmationTokenRows(ctx: AuthContext, attempt: Attempt, userId: string): string {
  const { address, codeChallenge, now } = attempt
  const { otpLifetimeSeconds, otpLength } = ctx.config[address.kind === 'email' ? 'email' : 'sms']
  const token = issueOneTimeToken(
    ctx,
    {
      ...{ userId, purpose: 'confirmation', requestedBy: 'signup', sentTo: address.value },
      ...{ lifetimeSeconds: otpLifetimeSeconds, codeLength: otpLength, codeChallenge },
    },
    now,
  )
  return jsonRows(token.row)
}

const confirmationRequested = (ctx: AuthContext, { address }: Attempt, userId: string): string =>
  auditRows(ctx, {
    action: 'user_confirmation_requested',
    actorId: userId,
    traits: { provider: address.kind },
  })
