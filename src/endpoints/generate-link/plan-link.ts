import { needsBothAddresses } from '../../accounts/addresses/email-change-message.ts'
import { withoutSignUpMetadata } from '../../accounts/addresses/prove-address.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import type { TokenOrder } from '../../accounts/addresses/token-message.ts'
import type { AuditAction } from '../../accounts/audit/actions.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { invitedUser, newUserWithAddress } from '../../accounts/lifecycle/new-user-with-address.ts'
import { requireFreeAddresses } from '../../accounts/users/find-owners.sql.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import { requireMetadataFits } from '../../accounts/users/metadata.ts'
import { contested, type SignUpOrigin } from '../../accounts/users/sign-up-origin.ts'
import { hasConfirmedAddress, isOpenedBy, type User } from '../../accounts/users/user.ts'
import { emailExists } from '../../accounts/users/user-errors.ts'
import { operatorPriority } from '../../credentials/passwords/gate.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { LinkMail } from '../../platform/mails/mails.ts'
import type { LinkRequest } from './read-link-request.ts'

/** The effects of a link: the account to store, and the token to issue. */
export interface LinkPlan {
  user: User
  passwordHash: string | null
  signUpOrigin: SignUpOrigin | null
  token: Pick<TokenOrder, 'to' | 'purpose' | 'requestedBy' | 'requestedFrom'>
  /** The resulting type: a magic link for an unknown address is a sign-up. */
  type: string
  mail: LinkMail
  action: AuditAction
}

/** Plans the effects of a link on its account. */
export async function planLink(
  ctx: AuthContext,
  request: LinkRequest,
  existing: StoredUser | null,
): Promise<LinkPlan> {
  const { type } = request
  if (type === 'signup' || (type === 'magiclink' && !existing)) {
    return planSignUp(ctx, request, existing)
  }
  if (type === 'invite') return planInvitation(ctx, request, existing)
  if (!existing || !isOpenedBy(existing.user, 'email'))
    throw new AuthError('user_not_found', 404, 'User with this email not found')
  return type === 'magiclink' || type === 'recovery'
    ? planSignIn(ctx, request, existing, type)
    : planEmailChange(ctx, request, existing)
}

async function planSignUp(
  ctx: AuthContext,
  { type, address, data, password }: LinkRequest,
  existing: StoredUser | null,
): Promise<LinkPlan> {
  if (existing && hasConfirmedAddress(existing.user)) throw emailExists()
  const now = ctx.clock.now()
  const hash = type === 'signup' ? await hashNew(ctx, password, existing) : null
  const input = { address, data: {}, confirmed: false, now }
  const base = existing
    ? signedUpAgain(existing, { data, password })
    : { ...newUserWithAddress(ctx, input), userMetadata: data }
  requireMetadataFits(ctx.config, base, existing?.user)
  return {
    user: { ...base, confirmationSentAt: now, updatedAt: now },
    // As with a sign-up, the password does not replace that of a user whom an operator created, and
    // competes with that of another sign-up.
    passwordHash: existing ? existing.passwordHash : hash,
    signUpOrigin: signUpOriginAfterLink(existing, { data, hash }),
    token: {
      to: requestAddress(ctx, address, 'signup', null),
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
 * Returns the sign-up origin to store.
 *
 * The application may pass on passwords that its visitors chose, so the origin is a client that
 * cannot be identified. Metadata is the operator's: an account that contains it is not reclaimable.
 */
function signUpOriginAfterLink(
  existing: StoredUser | null,
  { data, hash }: { data: Record<string, unknown>; hash: string | null },
): SignUpOrigin | null {
  const given = Object.keys(data).length > 0 && { from: 'operator' }
  if (!existing) return hash === null ? null : { by: 'signup', from: null, keys: [], ...given }
  const { signUpOrigin } = existing
  const isStated = states({ data, password: hash })
  const own = signUpOrigin && isStated ? { ...signUpOrigin, keys: [], ...given } : signUpOrigin
  return hash === null ? own : contested(own)
}

/** Whether a sign-up contains data or a password. */
const states = ({ data, password }: Pick<LinkRequest, 'data' | 'password'>): boolean =>
  password !== null || Object.keys(data).length > 0

/** Returns the account after a sign-up for its address. Metadata of other sign-ups is removed. */
function signedUpAgain(
  { user, signUpOrigin }: StoredUser,
  request: Pick<LinkRequest, 'data' | 'password'>,
): User {
  const { data, password } = request
  if (signUpOrigin && states(request)) {
    return { ...withoutSignUpMetadata(user, signUpOrigin), userMetadata: data }
  }
  return password === null ? { ...user, userMetadata: { ...user.userMetadata, ...data } } : user
}

/**
 * Hashes the password of a new user, which is required. An existing user keeps theirs unless
 * another is given.
 */
async function hashNew(
  ctx: AuthContext,
  password: string | null,
  existing: StoredUser | null,
): Promise<string | null> {
  if (password === null) {
    if (existing) return null
    throw validationFailed('password: Signup requires a valid password')
  }
  await requireStrongPassword(ctx, password)
  return ctx.passwords.hash(password, operatorPriority(ctx))
}

function planInvitation(
  ctx: AuthContext,
  { address, data }: LinkRequest,
  existing: StoredUser | null,
): LinkPlan {
  if (existing && hasConfirmedAddress(existing.user)) throw emailExists()
  return {
    ...invitedUser(ctx, address, data, existing),
    token: {
      to: requestAddress(ctx, address, 'invite', 'operator'),
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
  ctx: AuthContext,
  { address }: LinkRequest,
  { user, passwordHash, signUpOrigin }: StoredUser,
  type: 'magiclink' | 'recovery',
): LinkPlan => ({
  user: { ...user, recoverySentAt: ctx.clock.now() },
  passwordHash,
  signUpOrigin: contested(signUpOrigin),
  token: {
    to: requestAddress(ctx, address, 'recover', 'operator'),
    purpose: 'recovery',
    requestedBy: 'recover',
    requestedFrom: 'operator',
  },
  type,
  mail: type === 'magiclink' ? 'magicLink' : 'recovery',
  action: 'user_recovery_requested',
})

async function planEmailChange(
  ctx: AuthContext,
  { type, newEmail }: LinkRequest,
  { user, passwordHash, signUpOrigin }: StoredUser,
): Promise<LinkPlan> {
  const isNew = type === 'email_change_new'
  if (!isNew && !needsBothAddresses(ctx, user)) {
    throw validationFailed('type: The new address alone confirms the change of this user')
  }
  await requireFreeAddresses(ctx, user, { email: newEmail })
  const value = (isNew ? newEmail : user.email) ?? ''
  return {
    user: {
      ...user,
      newEmail,
      emailChangeSentAt: ctx.clock.now(),
      emailChangeConfirmedBy: null,
    },
    passwordHash,
    signUpOrigin,
    token: {
      to: requestAddress(ctx, { kind: 'email', value }, 'change', 'operator'),
      purpose: isNew ? 'email_change_new' : 'email_change_current',
      requestedBy: 'change',
      requestedFrom: 'operator',
    },
    type,
    mail: 'emailChange',
    action: 'user_modified',
  }
}
