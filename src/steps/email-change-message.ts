import type { AuthContext } from '../deps.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import type { User } from '../users/user.ts'
import { composeEmailChange } from './compose-email-change.ts'
import { makeToken, storedMessages, type TokenMessage } from './token-message.ts'

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

/**
 * The links and codes that confirm a change of email, for the addresses that have not confirmed it yet.
 *
 * @param account holds the new address as `newEmail`.
 */
export function emailChangeMessage(
  ctx: AuthContext,
  user: User,
  newEmail: string,
  { codeChallenge, redirectTo }: { codeChallenge: CodeChallenge | null; redirectTo: string },
): TokenMessage {
  const make = (value: string, purpose: 'email_change_new' | 'email_change_current') =>
    makeToken(ctx, {
      user,
      to: { kind: 'email', value },
      purpose,
      codeChallenge,
      requestedBy: 'change',
    })
  const confirmedBy = needsBothAddresses(ctx, user) ? user.emailChangeConfirmedBy : 'current'
  const forNew = confirmedBy === 'new' ? null : make(newEmail, 'email_change_new')
  const forCurrent =
    confirmedBy === 'current' ? null : make(user.email ?? '', 'email_change_current')
  const orders = composeEmailChange(ctx, user, { forNew, forCurrent }, redirectTo)
  return storedMessages(
    ctx,
    [forNew, forCurrent].filter((token) => token !== null),
    orders,
  )
}
