import { composeEmailChange } from '../../accounts/addresses/email-change-message.ts'
import { requireDeliverable, requireReachable } from '../../accounts/addresses/require-reachable.ts'
import { type MadeToken, makeToken, tokenRowsOf } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Admin,
  requireMayChangeCredentials,
} from '../../accounts/callers/authenticate-admin.ts'
import { createOrSaveUser } from '../../accounts/lifecycle/create-user.ts'
import { findByAddress, type StoredUser } from '../../accounts/users/find-user.sql.ts'
import { isInReach } from '../../accounts/users/sign-up-origin.ts'
import type { User } from '../../accounts/users/user.ts'
import { changedMeanwhile, emailExists } from '../../accounts/users/user-errors.ts'
import { composeLinkMail, mailedLink } from '../../delivery/messages/compose-mail.ts'
import { outboxRows } from '../../delivery/outbox/outbox-row.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { GenerateLinkInput } from './generate-link.endpoint.ts'
import { type LinkPlan, planLink } from './plan-link.ts'
import { type LinkRequest, readLinkRequest } from './read-link-request.ts'

/** A link for an operator to send, with its parts. */
export interface LinkWithUser {
  user: User
  actionLink: string
  emailOtp: string
  hashedToken: string
  verificationType: string
  redirectTo: string
}

/**
 * Generates a link like that of a mail and returns it to the operator. Sends a mail only on
 * request.
 *
 * @throws AuthError `user_not_found` (404), `email_exists` (422), `weak_password` (422),
 *   `validation_failed`, and with a mail `email_address_invalid`, `email_address_not_authorized`
 *   (400), `reauthentication_needed` (403) for a change of the operator's own address without a
 *   recent proof of a factor.
 */
export async function generateLink(
  given: AuthContext,
  admin: Admin,
  input: Unvalidated<GenerateLinkInput>,
): Promise<LinkWithUser> {
  const ctx = withAudience(given, requireShort(input.audience ?? '', 'aud'))
  const request = readLinkRequest(ctx, input)
  const { plan, token } = await planAndStore(ctx, admin, request)
  return {
    user: plan.user,
    actionLink: mailedLink(ctx, plan.mail, token.secret, request.redirectTo),
    emailOtp: token.code,
    hashedToken: token.secret,
    verificationType: plan.type,
    redirectTo: request.redirectTo,
  }
}

const withAudience = (ctx: AuthContext, audience: string): AuthContext =>
  audience === '' ? ctx : { ...ctx, request: { ...ctx.request, audience } }

/** The maximum number of attempts when concurrent changes cause conflicts. */
const maxAttempts = 8

async function planAndStore(
  ctx: AuthContext,
  admin: Admin,
  request: LinkRequest,
): Promise<{ plan: LinkPlan; token: MadeToken }> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const existing = await findUser(ctx, request)
    if (existing && request.newEmail) requireMayChangeCredentials(ctx, admin, existing.user.id)
    const plan = await planLink(ctx, request, existing)
    if (request.sendEmail) {
      requireReachable(ctx, plan.token.to)
      await requireDeliverable(ctx, plan.token.to)
    }
    const token = makeToken(ctx, { ...plan.token, user: plan.user })
    const user = await store(ctx, admin, { request, existing, plan, token })
    if (user) return { plan: { ...plan, user }, token }
    // No user was found, but the insert conflicts: the address belongs to a user of another
    // audience.
    if (!existing && attempt > 0) throw emailExists()
  }
  throw changedMeanwhile()
}

/**
 * Returns the owner of the address in this audience, or an unconfirmed account of another audience.
 */
async function findUser(
  { sql, request }: AuthContext,
  { address }: LinkRequest,
): Promise<StoredUser | null> {
  const holder = await findByAddress(sql, address, null)
  return holder && isInReach(holder, request.audience) ? holder : null
}

interface ToStore {
  request: LinkRequest
  existing: StoredUser | null
  plan: LinkPlan
  token: MadeToken
}

async function store(
  ctx: AuthContext,
  { role }: Admin,
  { request, existing, plan, token }: ToStore,
): Promise<User | null> {
  const { user, passwordHash, signUpOrigin, action } = plan
  return createOrSaveUser(ctx, existing, {
    user,
    passwordHash,
    signUpOrigin,
    audit: { action, actorRole: role, userId: user.id },
    tokenRows: tokenRowsOf([token.row]),
    messages: messagesOf(ctx, request, plan, token),
  })
}

function messagesOf(ctx: AuthContext, request: LinkRequest, plan: LinkPlan, token: MadeToken) {
  if (!request.sendEmail) return []
  const { mail, user, type } = plan
  const { redirectTo } = request
  const half = type === 'email_change_new' ? { forNew: token } : { forCurrent: token }
  const orders =
    mail === 'emailChange'
      ? composeEmailChange(ctx, user, half, redirectTo)
      : [composeLinkMail(ctx, mail, user, token, redirectTo)]
  return outboxRows(ctx, orders)
}
