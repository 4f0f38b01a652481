import type { AuthContext } from '../../accounts/auth-context.ts'
import { presentUser } from '../../accounts/users/present-user.ts'
import type { User } from '../../accounts/users/user.ts'
import type { MailVariables } from '../../platform/mails/mail-definition.ts'
import { type LinkMail, linkMails, type MailKind } from '../../platform/mails/mails.ts'
import { actionLink } from '../mail/action-link.ts'
import type { MessageOrder } from '../outbox/outbox-row.ts'

/** A link and code for an address. */
export interface MailedToken {
  to: string
  secret: string
  code: string
  expiresAt: Date
  /** Name of the suspended passkey or identity that the token confirms. */
  credentialLabel?: string
}

/** Returns the link of a mail: `…/verify?token=…&type=…&redirect_to=…`. */
export const mailedLink = (
  { config, request }: AuthContext,
  kind: LinkMail,
  secret: string,
  redirectTo: string,
): string =>
  actionLink({
    base: request.linkBase(),
    path: config.email.urlPaths[kind],
    token: secret,
    type: linkMails[kind].linkType,
    redirectTo,
  })

/** Composes a mail with a link and a code, for the outbox or the application's hook. */
export function composeLinkMail(
  ctx: AuthContext,
  kind: Exclude<LinkMail, 'emailChange'>,
  user: User,
  token: MailedToken,
  redirectTo: string,
): MessageOrder {
  const { to, secret, code, credentialLabel } = token
  return composeMail(ctx, {
    kind,
    user,
    to,
    expiresAt: token.expiresAt,
    variables: {
      ConfirmationURL: mailedLink(ctx, kind, secret, redirectTo),
      Token: code,
      TokenHash: secret,
      RedirectTo: redirectTo,
      ...(credentialLabel !== undefined && { Provider: credentialLabel }),
    },
    hookData: {
      email_action_type: linkMails[kind].linkType,
      token: code,
      token_hash: secret,
      redirect_to: redirectTo,
      ...(credentialLabel !== undefined && { provider: credentialLabel }),
    },
  })
}

/** Composes the mail with the code for a sensitive change. */
export const composeReauthenticationMail = (
  ctx: AuthContext,
  user: User,
  { to, code, expiresAt }: MailedToken,
): MessageOrder =>
  composeMail(ctx, {
    kind: 'reauthentication',
    user,
    to,
    expiresAt,
    variables: { Token: code },
    hookData: { email_action_type: 'reauthentication', token: code },
  })

interface MailParts {
  kind: MailKind
  user: User
  to: string
  expiresAt: Date | null
  variables: Omit<MailVariables, 'SiteURL' | 'Email' | 'Data'> & { Email?: string }
  /** The data for the hook, in place of the mail. */
  hookData: Readonly<Record<string, string>>
}

/** Composes any mail, for the outbox or the application's hook. */
export function composeMail(
  ctx: AuthContext,
  { kind, user, to, expiresAt, variables, hookData }: MailParts,
): MessageOrder {
  const order = { kind, recipient: to, userId: user.id, expiresAt }
  if (ctx.config.hooks.sendEmail.enabled) {
    return {
      ...order,
      message: { channel: 'email_hook', content: emailPayload(ctx, user, hookData) },
    }
  }
  const common = {
    SiteURL: ctx.config.siteUrl,
    Email: user.email ?? to,
    Data: user.userMetadata,
  }
  const mail = {
    kind,
    to,
    languages: languagesOf(ctx, user),
    variables: { ...common, ...variables },
  }
  return { ...order, message: { channel: 'email', content: mail } }
}

/** Returns the payload of the hook. All members are present; those that do not apply are empty. */
const emailPayload = (
  { config }: AuthContext,
  user: User,
  data: Readonly<Record<string, string>>,
) => ({
  user: presentUser(user),
  email_data: {
    token: '',
    token_hash: '',
    redirect_to: '',
    email_action_type: '',
    site_url: config.externalUrl,
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...data,
  },
})

/** Returns the user's own choice of language, then the languages of the requester. */
function languagesOf({ request }: AuthContext, { userMetadata }: User): readonly string[] {
  const { locale } = userMetadata
  return typeof locale === 'string' ? [locale, ...request.languages()] : request.languages()
}
