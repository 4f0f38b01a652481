import type { AuditAction } from '../../audit/actions.ts'
import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { requireStrongPassword } from '../../passwords/password-policy.ts'
import type { LinkMailKind } from '../../steps/compose-mail.ts'
import { operatorsTurn } from '../../steps/hashing-turn.ts'
import { accountOfNewcomer, invitedAccount } from '../../steps/newcomer-account.ts'
import { withoutRegisteredMetadata } from '../../steps/prove-address.ts'
import type { TokenOrder } from '../../steps/token-message.ts'
import { type Account, isConfirmed, isOpenedBy } from '../../users/account.ts'
import type { StoredAccount } from '../../users/find-account.sql.ts'
import { requireMetadataFits } from '../../users/metadata.ts'
import { contested, type Registration } from '../../users/registration.ts'
import { requireFreeAddresses } from '../../users/require-free-addresses.ts'
import { emailExists } from '../../users/user-errors.ts'
import type { LinkRequest } from './read-link-request.ts'

/** What a link takes: the account as it is to be, and the token that is to be made. */
export interface LinkPlan {
  account: Account
  passwordHash: string | null
  registration: Registration | null
  token: Pick<TokenOrder, 'to' | 'purpose' | 'requestedBy' | 'requestedFrom'>
  /** What the link turns out to be for: a magic link for nobody is a sign-up. */
  type: string
  mail: LinkMailKind
  action: AuditAction
}

/** Works out what a link does to the account that it is for. */
export async function planLink(
  ctx: AuthContext,
  request: LinkRequest,
  existing: StoredAccount | null,
): Promise<LinkPlan> {
  const { type } = request
  if (type === 'signup' || (type === 'magiclink' && !existing)) {
    return planSignUp(ctx, request, existing)
  }
  if (type === 'invite') return planInvitation(ctx, request, existing)
  if (!existing || !isOpenedBy(existing.account, 'email'))
    throw new AuthError('user_not_found', 404, 'User with this email not found')
  return type === 'magiclink' || type === 'recovery'
    ? planSignIn(ctx, request, existing, type)
    : planEmailChange(ctx, request, existing)
}

async function planSignUp(
  ctx: AuthContext,
  { type, address, data, password }: LinkRequest,
  existing: StoredAccount | null,
): Promise<LinkPlan> {
  if (existing && isConfirmed(existing.account)) throw emailExists()
  const now = ctx.clock.now()
  const hash = type === 'signup' ? await hashNew(ctx, password, existing) : null
  const newcomer = { address, data: {}, confirmed: false, now }
  const base = existing
    ? registeredAgain(existing, { data, password })
    : { ...accountOfNewcomer(ctx, newcomer), userMetadata: data }
  requireMetadataFits(ctx.config, base, existing?.account)
  return {
    account: { ...base, confirmationSentAt: now, updatedAt: now },
    // As a sign-up does, it brings nothing to a user of an operator's, and competes with another's.
    passwordHash: existing ? existing.passwordHash : hash,
    registration: registrationBy(existing, { data, hash }),
    token: {
      to: address,
      purpose: 'confirmation',
      requestedBy: 'signup',
      requestedFrom: 'application',
    },
    type: 'signup',
    mail: 'confirmation',
    action: 'user_confirmation_requested',
  }
}

/**
 * An application that signs people up by this way hands on passwords of its visitors', so one counts as
 * brought by a client that cannot be told apart. Metadata is the operator's, and an account that holds it gives way
 * to nobody.
 */
function registrationBy(
  existing: StoredAccount | null,
  { data, hash }: { data: Record<string, unknown>; hash: string | null },
): Registration | null {
  const given = Object.keys(data).length > 0 && { from: 'operator' }
  if (!existing) return hash === null ? null : { by: 'signup', from: null, keys: [], ...given }
  const { registration } = existing
  const isSaid = says({ data, password: hash })
  const own = registration && isSaid ? { ...registration, keys: [], ...given } : registration
  return hash === null ? own : contested(own)
}

/** Whether a sign-up says anything of the user, be it that there is nothing to say. */
const says = ({ data, password }: Pick<LinkRequest, 'data' | 'password'>): boolean =>
  password !== null || Object.keys(data).length > 0

/** What a sign-up makes of the account that holds the address. Of what strangers said nothing is left. */
function registeredAgain(
  { account, registration }: StoredAccount,
  request: Pick<LinkRequest, 'data' | 'password'>,
): Account {
  const { data, password } = request
  if (registration && says(request)) {
    return { ...withoutRegisteredMetadata(account, registration), userMetadata: data }
  }
  return password === null
    ? { ...account, userMetadata: { ...account.userMetadata, ...data } }
    : account
}

/** A new user by this way has a password; one who was there keeps theirs unless another is given. */
async function hashNew(
  ctx: AuthContext,
  password: string | null,
  existing: StoredAccount | null,
): Promise<string | null> {
  if (password === null) {
    if (existing) return null
    throw validationFailed('password: Signup requires a valid password')
  }
  requireStrongPassword(ctx.config.passwords, password)
  return ctx.passwords.hash(password, operatorsTurn(ctx))
}

function planInvitation(
  ctx: AuthContext,
  { address, data }: LinkRequest,
  existing: StoredAccount | null,
): LinkPlan {
  if (existing && isConfirmed(existing.account)) throw emailExists()
  return {
    ...invitedAccount(ctx, address, data, existing),
    token: {
      to: address,
      purpose: 'confirmation',
      requestedBy: 'invite',
      requestedFrom: 'operator',
    },
    type: 'invite',
    mail: 'invite',
    action: 'user_invited',
  }
}

const planSignIn = (
  { clock }: AuthContext,
  { address }: LinkRequest,
  { account, passwordHash, registration }: StoredAccount,
  type: 'magiclink' | 'recovery',
): LinkPlan => ({
  account: { ...account, recoverySentAt: clock.now() },
  passwordHash,
  registration: contested(registration),
  token: { to: address, purpose: 'recovery', requestedBy: 'recover', requestedFrom: 'operator' },
  type,
  mail: type === 'magiclink' ? 'magicLink' : 'recovery',
  action: 'user_recovery_requested',
})

async function planEmailChange(
  ctx: AuthContext,
  { type, newEmail }: LinkRequest,
  { account, passwordHash, registration }: StoredAccount,
): Promise<LinkPlan> {
  await requireFreeAddresses(ctx.sql, account, { email: newEmail })
  const isNew = type === 'email_change_new'
  const value = (isNew ? newEmail : account.email) ?? ''
  return {
    account: {
      ...account,
      newEmail,
      emailChangeSentAt: ctx.clock.now(),
      emailChangeConfirmedBy: null,
    },
    passwordHash,
    registration,
    token: {
      to: { kind: 'email', value },
      purpose: isNew ? 'email_change_new' : 'email_change_current',
      requestedBy: 'change',
      requestedFrom: 'operator',
    },
    type,
    mail: 'emailChange',
    action: 'user_modified',
  }
}
