import { needsBothAddresses } from '../../accounts/addresses/email-change-message.ts'
import { requireDeliverable, requireReachable } from '../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeChallenge,
  readCodeChallenge,
} from '../../accounts/one-time-tokens/code-challenge.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { hasConfirmed, type User } from '../../accounts/users/user.ts'
import { notAdmin } from '../../accounts/users/user-errors.ts'
import { readOwnUsername } from '../../accounts/users/username.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { readChannel } from '../../delivery/sms/open-sms-carrier.ts'
import type { SmsChannel } from '../../delivery/sms/sms.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { UpdateOwnUserInput } from './user.endpoint.ts'

/** An update, not validated yet. `appMetadata` is permitted only at the operators' endpoint. */
export type UserUpdate = Unvalidated<UpdateOwnUserInput> & {
  appMetadata?: Record<string, unknown> | undefined
}

/** A valid update. */
export interface ReadUpdate {
  /** Addresses that the user does not have, or has not confirmed. */
  newAddresses: Address[]
  /** Null where the name does not change. */
  newUsername: string | null
  channel: SmsChannel
  codeChallenge: CodeChallenge | null
  redirectTo: string
}

/** Reads an update. The wire specifies the order of the errors. */
export async function readUpdate(
  ctx: AuthContext,
  user: User,
  update: UserUpdate,
): Promise<ReadUpdate> {
  const wanted = [
    ...(update.email ? [readEmail(update.email)] : []),
    ...(update.phone ? [readPhone(update.phone)] : []),
  ]
  const channel = readChannel(ctx.config, update.phone ? update.channel : undefined)
  const newUsername = readNewUsername(ctx, user, update)
  if (update.password !== undefined) await requireStrongPassword(ctx, update.password)
  if (update.appMetadata) throw notAdmin('Updating app_metadata requires admin privileges')
  // A user can confirm an unconfirmed address that an operator stored.
  const newAddresses = wanted.filter(
    ({ kind, value }) => user[kind] !== value || !hasConfirmed(user, kind),
  )
  const hasNewEmail = newAddresses.some(({ kind }) => kind === 'email')
  return {
    newAddresses,
    newUsername,
    channel,
    codeChallenge: hasNewEmail ? readCodeChallenge(update) : null,
    redirectTo: allowedRedirect(ctx, update.redirect ?? {}),
  }
}

function readNewUsername(ctx: AuthContext, user: User, { username }: UserUpdate): string | null {
  const { usernames } = ctx.config
  if (!usernames.enabled || username === undefined) return null
  const name = readOwnUsername(username, usernames.reserved)
  if (name === user.username) return null
  requireMayChooseName(ctx, user)
  return name
}

/**
 * Rejects a user who may not choose another user name.
 *
 * @throws AuthError `validation_failed` (422) for an anonymous user, and where users cannot change
 *   their names.
 */
export function requireMayChooseName(
  { config: { usernames } }: Pick<AuthContext, 'config'>,
  user: Pick<User, 'isAnonymous' | 'username'>,
): void {
  if (user.isAnonymous) {
    throw validationFailed('username: An anonymous user without an email or phone has none', 422)
  }
  if (user.username === null || usernames.changeEnabled) return
  throw validationFailed('username: Changes are disabled', 422)
}

/**
 * Whether a message must confirm an address. Autoconfirm applies to phones, and to emails of
 * anonymous users, who could sign up with one as well.
 */
export const needsMessage = (
  { config }: Pick<AuthContext, 'config'>,
  { isAnonymous }: Pick<User, 'isAnonymous'>,
  { kind }: Address,
): boolean => !(kind === 'email' ? isAnonymous && config.email.autoconfirm : config.sms.autoconfirm)

/**
 * Rejects a password without an address to sign in with.
 *
 * @throws AuthError `validation_failed` (422) for an anonymous user who submits no address with it.
 */
export function requireAddressWithPassword(
  { isAnonymous }: Pick<User, 'isAnonymous'>,
  { password, email, phone }: UserUpdate,
): void {
  if (!isAnonymous || password === undefined || email || phone) return
  throw validationFailed(
    'Updating password of an anonymous user without an email or phone is not allowed',
    422,
  )
}

/** Whether the current email address must confirm that a new address replaces it. */
export const needsCurrentEmail = (
  ctx: Pick<AuthContext, 'config'>,
  user: User,
  { kind }: Address,
): boolean => kind === 'email' && needsBothAddresses(ctx, user)

/** Rejects addresses that need a message and cannot receive one. */
export async function requireReachableAddresses(
  ctx: AuthContext,
  user: User,
  newAddresses: readonly Address[],
): Promise<void> {
  for (const address of newAddresses) {
    if (needsMessage(ctx, user, address)) requireReachable(ctx, address)
    const { email } = user
    if (needsCurrentEmail(ctx, user, address) && email)
      requireReachable(ctx, { kind: 'email', value: email })
    await requireDeliverable(ctx, address)
  }
}
