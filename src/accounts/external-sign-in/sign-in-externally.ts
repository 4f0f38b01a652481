import { isIdentityOf } from '../../credentials/external/external-account.ts'
import type { GrantedTokens } from '../../platform/config/sections/provider-definition.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { retryLostRaces } from '../../platform/sql/retry.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { identityNotice } from '../acts/change-notices.ts'
import type { Act } from '../acts/record-act.ts'
import { rowsOfMessages, type TokenMessage } from '../addresses/token-message.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import { changeUser } from '../lifecycle/change-user.ts'
import { approveNewUser, createUser } from '../lifecycle/create-user.ts'
import type { PreparedSignIn, SessionOpening, SignInRows } from '../sign-in/complete-sign-in.ts'
import { providerTokenRows } from '../users/provider-token.ts'
import type { User } from '../users/user.ts'
import { identityExists, invitationExpired } from '../users/user-errors.ts'
import { decideAccount, type ProvedSignIn } from './decide-account.ts'
import { type AccountPlan, planAccount } from './plan-account.ts'
import { type ConfirmationOrder, planConfirmation } from './plan-confirmation.ts'

/** A sign-in with an identity that a provider, or a wallet, has proved. */
export interface ExternalSignInOrder<End> extends ProvedSignIn, ConfirmationOrder {
  /** The tokens of the provider that are stored; null for none. */
  tokens: GrantedTokens | null
  /** Further events of the user. Default: none. */
  events?: readonly Pick<AuditEvent, 'action' | 'traits'>[]
  /** Prepares the session that the sign-in ends in, or the code for one. */
  prepare(proved: { userId: string; provedAt: Date | null }): PreparedSignIn<SignInRows, End>
}

/** A completed external sign-in. */
export interface ExternallySignedIn<End> {
  user: User
  end: End
}

/**
 * Signs in with a proved identity, links it, or accepts an invitation with it: decides the account,
 * plans its changes and saves them with the session in one statement. All is repeated where another
 * request changed the account meanwhile.
 *
 * @throws AuthError the errors of {@link decideAccount}, {@link planAccount} and, where an address
 *   has to be confirmed, of {@link planConfirmation}; `provider_email_needs_verification` (422)
 *   and, at linking, `email_not_confirmed` (422) until it is; `conflict` (409) after lost races.
 */
export async function signInExternally<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
): Promise<ExternallySignedIn<End>> {
  let { singleUse } = order
  return retryLostRaces(async () => {
    const decision = await decideAccount(ctx, { ...order, singleUse })
    // Consumed in the first attempt.
    singleUse = null
    const account = await planAccount(ctx, order, decision)
    const plan = await planSignIn(ctx, order, account)
    return saveSignIn(ctx, order, plan)
  })
}

/** An account, the message that confirms its address, and the session or code. */
interface SignInPlan<End> {
  account: AccountPlan
  message: TokenMessage | null
  /** An error where the address has to be confirmed first. */
  signIn: ReturnType<ExternalSignInOrder<End>['prepare']> | AuthError
}

async function planSignIn<End>(
  ctx: AuthContext,
  order: ExternalSignInOrder<End>,
  account: AccountPlan,
): Promise<SignInPlan<End>> {
  if (!account.needsConfirmation) return withSession(ctx, order, account)
  if (account.kind === 'linked' || !ctx.config.email.allowUnverifiedSignIns) {
    const { rejection, ...confirmation } = await planConfirmation(ctx, order, account)
    return { ...confirmation, signIn: rejection }
  }
  // The sign-in does not depend on the message: one that may not be sent does not prevent it.
  const confirmation = await planConfirmation(ctx, order, account).catch((error: unknown) => {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  })
  return confirmation
    ? withSession(ctx, order, confirmation.account, confirmation.message)
    : withSession(ctx, order, account)
}

function withSession<End>(
  { clock }: AuthContext,
  { person, prepare, events = [] }: ExternalSignInOrder<End>,
  account: AccountPlan,
  message: TokenMessage | null = null,
): SignInPlan<End> {
  const actorId = account.user.id
  const signIn = prepare({ userId: actorId, provedAt: account.provedAt })
  const opensSession = 'sessionRows' in signIn.rows
  const user = opensSession ? { ...account.user, lastSignInAt: clock.now() } : account.user
  const action = actionOf(account)
  const traits = { provider: person.provider }
  const recorded = [...(action ? [{ action, traits }] : []), ...events]
  const all = [...account.events, ...recorded.map((event) => ({ ...event, actorId }))]
  return { account: { ...account, user, events: all }, message, signIn }
}

/** Returns the action of a sign-in; linking has its own. */
function actionOf({ kind, before, user }: AccountPlan): AuditEvent['action'] | null {
  if (kind === 'linked') return null
  if (kind === 'invited') return 'invite_accepted'
  const isNew = before === null || before.user.emailConfirmedAt === null
  return isNew && user.emailConfirmedAt !== null ? 'user_signedup' : 'login'
}

/** Returns null where another request was faster. */
async function saveSignIn<End>(
  ctx: AuthContext,
  { person, tokens }: ExternalSignInOrder<End>,
  { account, message, signIn }: SignInPlan<End>,
): Promise<ExternallySignedIn<End> | null> {
  const { user, kind } = account
  const isRejected = signIn instanceof AuthError
  const identity = user.identities.find((one) => isIdentityOf(one, person))
  const storesTokens = tokens !== null && (!isRejected || kind === 'linked')
  const saved = await save(ctx, account, {
    ...(isRejected ? {} : signIn.rows),
    ...rowsOfMessages(...(message ? [message] : [])),
    notices: kind === 'linked' ? identityNotice(ctx, 'identityLinked', user, person) : [],
    ...(storesTokens &&
      identity && { providerTokenRows: providerTokenRows(ctx, identity, tokens) }),
  })
  if (!saved) return null
  if (isRejected) throw signIn
  return { user: saved, end: await signIn.complete(saved) }
}

/** The rows that are stored with an account, and the notification of a linked identity. */
type SignInRowsToStore = Partial<SessionOpening> &
  Pick<Act, 'notices'> &
  ReturnType<typeof rowsOfMessages> & {
    codeRows?: Rows<'authorization_codes'>
    providerTokenRows?: Rows<'provider_tokens'>
  }

/** Returns the stored user; null where another request was faster. */
async function save(
  ctx: AuthContext,
  plan: AccountPlan,
  rows: SignInRowsToStore,
): Promise<User | null> {
  const isInvited = plan.kind === 'invited'
  try {
    const saved = await (plan.kind === 'created'
      ? create(ctx, plan, rows)
      : change(ctx, plan, rows))
    // An invitation is consumed once, so another attempt would not find it.
    if (!saved && isInvited) throw invitationExpired()
    return saved
  } catch (error) {
    if (!(error instanceof AuthError && error.code === 'conflict')) throw error
    // Another request stored the identity, or the address, concurrently.
    if (isInvited) throw identityExists()
    return null
  }
}

type NewAccountPlan = Extract<AccountPlan, { kind: 'created' }>

async function create(
  ctx: AuthContext,
  { user, expected, passwordHash, signUpOrigin, events }: NewAccountPlan,
  { notices: _, ...rows }: SignInRowsToStore,
): Promise<User | null> {
  // The decision of the application must not reveal whether another user has the address.
  const approval = await approveNewUser(ctx, expected)
  const stored = { user, passwordHash, signUpOrigin, ...rows, audit: events, approval }
  return (await createUser(ctx, stored)) ? user : null
}

function change(
  ctx: AuthContext,
  plan: Exclude<AccountPlan, NewAccountPlan>,
  rows: SignInRowsToStore,
): Promise<User | null> {
  const { before, user, passwordHash, signUpOrigin, causes } = plan
  return changeUser(ctx, {
    before,
    after: user,
    changedBy: 'user',
    passwordHash,
    signUpOrigin,
    ...(plan.kind === 'invited' && { spentTokenId: plan.spentTokenId }),
    ...(plan.kind === 'linked' && { requestingSession: plan.requestingSession }),
    causes,
    audit: plan.events,
    releasesBy: { actorId: user.id },
    ...rows,
  })
}
