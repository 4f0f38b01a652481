import type { AuthContext } from '../auth-context.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import type { User } from '../users/user.ts'
import { composeEmailChange } from './compose-email-change.ts'
import { requestAddress } from './request-address.ts'
import { makeToken, storedMessages, type TokenMessage, type TokenOrder } from './token-message.ts'

/**
 * Whether a change of email has to be confirmed from the current address too: who got hold of a
 * session cannot then take the account away. One that nobody proved may be anybody's, and is not asked.
 */
export const needsBothAddresses = (
  { config }: Pick<AuthContext, 'config'>,
  { email, emailConfirmedAt }: User,
): boolean =>
  email !== null &&
  emailConfirmedAt !== null &&
  config.email.secureChangeEnabled &&
  !config.email.autoconfirm

/** How the links of a change are requested, and where they lead. */
export interface EmailChangeDelivery extends Pick<TokenOrder, 'requestedFrom'> {
  by: 'change' | 'resend' | 'provider'
  codeChallenge: CodeChallenge | null
  redirectTo: string
}

/**
 * The links and codes that confirm a change of email, for the addresses that have not confirmed it yet.
 *
 * @param account holds the new address as `newEmail`.
 */
export function emailChangeMessage(
  ctx: AuthContext,
  user: User,
  newEmail: string,
  { by, requestedFrom, codeChallenge, redirectTo }: EmailChangeDelivery,
): TokenMessage {
  const make = (value: string, purpose: 'email_change_new' | 'email_change_current') =>
    makeToken(ctx, {
      user,
      to: requestAddress(ctx, { kind: 'email', value }, by),
      purpose,
      codeChallenge,
      requestedBy: by === 'provider' ? 'provider' : 'change',
      ...(requestedFrom && { requestedFrom }),
    })
  const confirmedBy = needsBothAddresses(ctx, user) ? user.emailChangeConfirmedBy : 'current'
  const forNew = confirmedBy === 'new' ? null : make(newEmail, 'email_change_new')
  const forCurrent =
    confirmedBy === 'current' ? null : make(user.email ?? '', 'email_change_current')
  const orders = composeEmailChange(ctx, user, { forNew, forCurrent }, redirectTo)
  const [first, ...others] = [forNew, forCurrent].filter((token) => token !== null)
  if (!first) throw new Error('no address is left to confirm the change')
  return storedMessages(ctx, [first, ...others], orders)
}
