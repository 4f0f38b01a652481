import { composeMail, type MailedToken, mailedLink } from '../../delivery/messages/compose-mail.ts'
import type { MessageOrder } from '../../delivery/outbox/outbox-row.ts'
import { linkMails } from '../../platform/mails/mails.ts'
import type { AuthContext } from '../auth-context.ts'
import type { User } from '../users/user.ts'

/** The tokens of a change of address: for the new one, for the current one, or for both. */
export interface EmailChangeTokens {
  forNew?: MailedToken | null
  forCurrent?: MailedToken | null
}

/**
 * The mails of a change of address: one to each that has to confirm it, or one call of the hook.
 *
 * @param account holds the new address as `newEmail`.
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
  // The hook is told of both addresses at once.
  return ctx.config.hooks.sendEmail.enabled ? mails.slice(0, 1) : mails
}

/** The wire crosses the names of the hashes, and its hooks count on that. */
const hookData = ({ forNew, forCurrent }: EmailChangeTokens, redirectTo: string) => ({
  email_action_type: linkMails.emailChange.linkType,
  redirect_to: redirectTo,
  token: (forCurrent ?? forNew)?.code ?? '',
  ...(forNew && { token_hash: forNew.secret }),
  ...(forCurrent && { token_hash_new: forCurrent.secret }),
  ...(forNew && forCurrent && { token_new: forNew.code }),
})
