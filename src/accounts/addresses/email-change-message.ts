import { composeMail, type MailedToken, mailedLink } from '../../delivery/messages/compose-mail.ts'
import type { MessageOrder } from '../../delivery/outbox/outbox-row.ts'
import { linkMails } from '../../platform/mails/mails.ts'
import type { AuthContext } from '../auth-context.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import type { User } from '../users/user.ts'
import { requestAddress } from './request-address.ts'
import { makeToken, storedMessages, type TokenMessage, type TokenOrder } from './token-message.ts'

/**
 * Returns whether a change of email has to be confirmed from the current address too. An attacker
 * with a stolen session then cannot take over the account. An unconfirmed current address is not
 * included: it may belong to another person.
 */
export const needsBothAddresses = (
  { config }: Pick<AuthContext, 'config'>,
  { email, emailConfirmedAt }: User,
): boolean =>
  email !== null &&
  emailConfirmedAt !== null &&
  config.email.secureChangeEnabled &&
  !config.email.autoconfirm

/** The delivery of the links of a change: the cause of the request, and the redirect target. */
export interface EmailChangeDelivery extends Pick<TokenOrder, 'requestedFrom'> {
  by: 'change' | 'resend' | 'provider'
  codeChallenge: CodeChallenge | null
  redirectTo: string
}

/**
 * Creates the links and codes that confirm a change of email, for the addresses that have not
 * confirmed it yet.
 *
 * @param user the account with the new address as `newEmail`.
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

/** The tokens of a change of address: for the new one, for the current one, or for both. */
export interface EmailChangeTokens {
  forNew?: MailedToken | null
  forCurrent?: MailedToken | null
}

/**
 * Composes the mails of a change of address: one to each address that has to confirm it, or one
 * call of the hook.
 *
 * @param user the account with the new address as `newEmail`.
 */
export function composeEmailChange(
  ctx: AuthContext,
  user: User,
  tokens: EmailChangeTokens,
  redirectTo: string,
): MessageOrder[] {
  const { forNew, forCurrent } = tokens
  const recipients = [...(forNew ? [forNew] : []), ...(forCurrent ? [forCurrent] : [])]
  const mails = recipients.map((token) =>
    composeMail(ctx, {
      kind: 'emailChange',
      user,
      to: token.to,
      expiresAt: token.expiresAt,
      variables: {
        ConfirmationURL: mailedLink(ctx, 'emailChange', token.secret, redirectTo),
        Token: token.code,
        TokenHash: token.secret,
        RedirectTo: redirectTo,
        NewEmail: user.newEmail ?? '',
        SendingTo: token.to,
      },
      hookData: hookData(tokens, redirectTo),
    }),
  )
  // One call of the hook contains both addresses.
  return ctx.config.hooks.sendEmail.enabled ? mails.slice(0, 1) : mails
}

/**
 * Returns the data for the hook. The wire exchanges the names of the two hashes, and hooks depend
 * on it.
 */
const hookData = ({ forNew, forCurrent }: EmailChangeTokens, redirectTo: string) => ({
  email_action_type: linkMails.emailChange.linkType,
  redirect_to: redirectTo,
  token: (forCurrent ?? forNew)?.code ?? '',
  ...(forNew && { token_hash: forNew.secret }),
  ...(forCurrent && { token_hash_new: forCurrent.secret }),
  ...(forNew && forCurrent && { token_new: forNew.code }),
})
