import type { AuditNote } from '../audit/audit-note.ts'
import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { GrantedTokens } from '../config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../config/sections/providers.ts'
import type { AuthContext } from '../deps.ts'
import { AuthError } from '../errors/auth-error.ts'
import type { Rows } from '../sql/tables.ts'
import { findOwnersOfIdentity } from '../users/find-owners-of-identity.sql.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { providerTokenRows } from '../users/provider-token.ts'
import { isBanned, type User } from '../users/user.ts'
import { userBanned } from '../users/user-errors.ts'
import { approveNewcomer } from './approve-newcomer.ts'
import { changeUser } from './change-user.ts'
import type { PreparedSignIn, SignInRows } from './complete-sign-in.ts'
import { createUser } from './create-user.ts'
import { decideAccount } from './decide-account.ts'
import { accountFor, type ExternalAccount, isOf, needsConfirmation } from './external-account.ts'
import type { ExternalPerson } from './external-person.ts'
import { findHolder } from './find-recipient.ts'
import { addressClaim } from './give-way.ts'
import { linkingDomainOf } from './linking-domain.ts'
import { requireNamedAudience } from './require-named-audience.ts'
import { retryLostRaces } from './retry-lost-races.ts'
import { mailToken, rowsOfMessages, type TokenMessage } from './token-message.ts'

/** A sign-in by what somebody else vouches for. */
export interface ExternalSignInOrder<End> {
  person: ExternalPerson
  settings: Pick<ResolvedProvider, 'emailOptional' | 'signUpDisabled'>
  /** What the provider handed out and is to be kept. Default: nothing. */
  tokens?: GrantedTokens | null
  /** Where the link of a confirmation leads to. */
  redirectTo: string
  /** The hash of the secret of the browser that asks; null where there is none. */
  browserHash: string | null
  /** What is recorded of it beside the sign-in itself. */
  events?(userId: string): readonly AuditEvent[]
  /** Makes what the sign-in ends in: a session, or a code for one. */
  prepare(userId: string): PreparedSignIn<SignInRows & { auditRows?: Rows<'audit_entries'> }, End>
}

/** What came of it, and whose it is. */
export interface ExternallySignedIn<End> {
  user: User
  end: End
}

/**
 * Signs somebody in whom a provider vouches for: finds their account, joins it or makes it, and opens what the sign-in
 * ends in, in one statement.
 *
 * An account whose address nobody has proved keeps nothing that strangers brought, once the provider proves it. An
 * address that the provider has not verified finds nobody: it gets a mail.
 *
 * @throws AuthError `user_banned` (403), `signup_disabled` (422), `email_exists` (422) where the address is somebody's
 *   whom it does not let in, `conflict` (409) where it leads to several, `validation_failed` (400) for an audience that nobody named, `provider_email_needs_verification` (422), and
 *   where a mail has to confirm the address, what `findHolder` throws.
 */
export async function signInExternally<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
): Promise<ExternallySignedIn<End>> {
  await requireNamedAudience(ctx)
  return retryLostRaces(() => tryToSignIn(ctx, order))
}

/** Null when another request was faster. */
async function tryToSignIn<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
): Promise<ExternallySignedIn<End> | null> {
  const { person } = order
  const owners = await findOwnersOfIdentity(ctx.sql, {
    provider: person.provider,
    subject: person.subject,
    verified: person.verified,
    addresses: [...new Set([...person.verified, ...(person.email ? [person.email] : [])])],
    ...linkingDomainOf(ctx.config, person.provider),
  })
  const account = accountFor(ctx, order, decideAccount(owners, person), owners)
  if (isBanned(account.user, ctx.clock.now())) throw userBanned()
  if (!needsConfirmation(order, account)) return complete(ctx, order, account)
  return ctx.config.email.allowUnverifiedSignIns
    ? completeUnverified(ctx, order, account)
    : askToConfirm(ctx, order, account)
}

/** Stores who they are, and what they want; they come in once they have confirmed. */
async function askToConfirm<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
  account: ExternalAccount,
): Promise<null> {
  const { asked, rows } = await withConfirmation(ctx, order, account)
  const note = await store(ctx, asked, rows)
  if (!note) return null
  note.log()
  ctx.outbox.wake()
  throw emailNeedsVerification(order.person)
}

/** Lets them in as they are. The mail goes out where one may: that it may not is no reason to keep them out. */
async function completeUnverified<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
  account: ExternalAccount,
): Promise<ExternallySignedIn<End> | null> {
  const { asked, rows } = await withConfirmation(ctx, order, account).catch((error: unknown) => {
    if (error instanceof AuthError && error.status < 500) return { asked: account, rows: {} }
    throw error
  })
  return complete(ctx, order, asked, rows)
}

/**
 * The same account with the mail that confirms its address, where it has one.
 *
 * @throws AuthError what `findHolder` throws.
 */
async function withConfirmation<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
  account: ExternalAccount,
): Promise<{ asked: ExternalAccount; rows: Partial<ReturnType<typeof rowsOfMessages>> }> {
  const { user, address } = account
  const event: AuditEvent = {
    action: 'user_confirmation_requested',
    actorId: user.id,
    traits: { provider: order.person.provider },
  }
  const events = [...account.events, event]
  // Of an address that somebody else has, too: neither a limit nor a check tells that somebody has it.
  const email = address.email ?? order.person.email
  if (email !== null) await findHolder(ctx, 'sign-up', { kind: 'email', value: email })
  if (address.email === null) return { asked: { ...account, events }, rows: {} }
  return {
    asked: { ...account, user: { ...user, confirmationSentAt: ctx.clock.now() }, events },
    rows: rowsOfMessages(confirmation(ctx, order, account, address.email)),
  }
}

function confirmation<End>(
  ctx: AuthContext,
  { redirectTo, browserHash }: ExternalSignInOrder<End>,
  { user }: ExternalAccount,
  email: string,
): TokenMessage {
  const to = { kind: 'email', value: email } as const
  const token = { user, to, purpose: 'confirmation', requestedBy: 'provider' } as const
  const from = browserHash === null ? {} : { requestedFrom: { browserHash } }
  return mailToken(ctx, 'confirmation', { ...token, ...from }, redirectTo)
}

async function complete<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
  account: ExternalAccount,
  messageRows: Partial<ReturnType<typeof rowsOfMessages>> = {},
): Promise<ExternallySignedIn<End> | null> {
  const { person, prepare, events } = order
  const signIn = prepare(account.user.id)
  const opensSession = 'sessionRows' in signIn.rows
  const user = opensSession ? { ...account.user, lastSignInAt: ctx.clock.now() } : account.user
  const isNew = account.before === null || account.before.user.emailConfirmedAt === null
  const event: AuditEvent = {
    action: isNew && user.emailConfirmedAt !== null ? 'user_signedup' : 'login',
    actorId: user.id,
    traits: { provider: person.provider },
  }
  const { auditRows: _, ...rows } = signIn.rows
  const recorded = [...account.events, event, ...(events?.(user.id) ?? [])]
  const note = await store(
    ctx,
    { ...account, user, events: recorded },
    { ...rows, ...messageRows, ...tokensOf(ctx, order, user) },
  )
  if (!note) return null
  note.log()
  if (messageRows.messageRows) ctx.outbox.wake()
  return { user, end: await signIn.complete(user) }
}

/** What the provider handed out, for the identity that it is about. */
function tokensOf<End>(
  ctx: AuthContext,
  { person, tokens }: ExternalSignInOrder<End>,
  { identities }: User,
): Pick<ComingRows, 'providerTokenRows'> {
  const identity = identities.find((one) => isOf(one, person))
  if (!identity || !tokens) return {}
  return { providerTokenRows: providerTokenRows(ctx, identity, tokens) }
}

type ComingRows = Partial<
  Record<'sessionRows', Rows<'sessions'>> &
    Record<'codeRows', Rows<'authorization_codes'>> &
    Record<'providerTokenRows', Rows<'provider_tokens'>> &
    ReturnType<typeof rowsOfMessages>
>

/** Null when another request was faster. */
async function store(
  ctx: AuthContext,
  { before, user, expected, events, endsSessions, voidsTokens, ...stored }: ExternalAccount,
  rows: ComingRows,
): Promise<AuditNote | null> {
  try {
    if (!before) {
      // What the application says of an address does not tell whether somebody has it.
      const approval = approveNewcomer(ctx, expected ?? user)
      await approval
      return await createUser(ctx, { ...stored, ...rows, user, events, approval })
    }
    requireMetadataFits(ctx.config, user, before.user)
    const note = auditNote(ctx, ...events)
    const claim = addressClaim(ctx, { actorId: user.id })
    const isSaved = await changeUser(ctx, {
      ...stored,
      ...rows,
      before,
      after: user,
      claim,
      voidsTokens,
      endsSessions: endsSessions ? { except: null } : null,
      dropsFactors: endsSessions,
      auditRows: note.rows,
    })
    if (isSaved) claim.log()
    return isSaved ? note : null
  } catch (error) {
    // Somebody else stored the identity at this moment.
    if (error instanceof AuthError && error.code === 'conflict') return null
    throw error
  }
}

/** One text, whether or not somebody has the address: who can name any at a provider must not learn that (rule 5). */
const emailNeedsVerification = ({ label, email }: ExternalPerson): AuthError =>
  new AuthError(
    'provider_email_needs_verification',
    422,
    email === null
      ? `${label} names no email address of yours, and one is needed to sign in`
      : `Unverified email with ${label}. Verify the email with ${label}, or open the link of the mail that was sent to it, in order to sign in`,
  )
