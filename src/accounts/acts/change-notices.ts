import { composeMail } from '../../delivery/messages/compose-mail.ts'
import type { MessageOrder } from '../../delivery/outbox/outbox-row.ts'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import type { MailVariables } from '../../platform/mails/mail-definition.ts'
import { type NotificationMail, notificationMails } from '../../platform/mails/mails.ts'
import type { AuthContext } from '../auth-context.ts'
import type { User } from '../users/user.ts'

/** Returns the mails that report changes to an account, for the kinds that are enabled. */
export function changeNotices(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  return [
    ...emailChanged(ctx, before, after),
    ...phoneChanged(ctx, before, after),
    ...phoneLinked(ctx, before, after),
  ]
}

/** Goes to the old address, whose owner may not have made the change. */
function emailChanged(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  if (!before.email || !after.email || before.email === after.email) return []
  return notice(ctx, {
    kind: 'emailChanged',
    user: after,
    to: before.email,
    variables: { OldEmail: before.email },
    hookData: { old_email: before.email },
  })
}

function phoneChanged(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  if (!before.phone || !after.phone || before.phone === after.phone) return []
  return notice(ctx, {
    kind: 'phoneChanged',
    user: after,
    variables: { Phone: after.phone, OldPhone: before.phone },
    hookData: { old_phone: before.phone },
  })
}

function phoneLinked(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  const hasPhone = ({ identities }: User) => identities.some((one) => one.provider === 'phone')
  if (hasPhone(before) || !hasPhone(after)) return []
  return identityNotice(ctx, 'identityLinked', after, { provider: 'phone' })
}

/**
 * Returns the mail that reports an added or removed identity. It goes to the email address of
 * `user`.
 *
 * @param identity.label the name of the provider. Default: that of a configured provider.
 */
export const identityNotice = (
  ctx: AuthContext,
  kind: 'identityLinked' | 'identityUnlinked',
  user: User,
  { provider, label }: { provider: string; label?: string | undefined },
): MessageOrder[] =>
  notice(ctx, {
    kind,
    user,
    variables: { Provider: provider, ...(label !== undefined && { ProviderName: label }) },
    hookData: { provider },
  })

/** Returns the mail that reports a new password. */
export const passwordChangedNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, { kind: 'passwordChanged', user })

/** Returns the mail that reports an added or removed factor. */
export const factorNotice = (
  ctx: AuthContext,
  kind: 'mfaFactorEnrolled' | 'mfaFactorUnenrolled',
  user: User,
  factorType: FactorType,
): MessageOrder[] =>
  notice(ctx, {
    kind,
    user,
    variables: { FactorType: factorType },
    hookData: { factor_type: factorType },
  })

/** Returns the mail that reports the use of a recovery code. */
export const recoveryCodeNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, { kind: 'mfaRecoveryCodeUsed', user })

/** What a notification mail reports. */
interface Notice {
  kind: NotificationMail
  user: User
  /** The recipient. Default: the email address of the user. */
  to?: string
  variables?: Partial<MailVariables>
  hookData?: Readonly<Record<string, string>>
}

/** Returns a notification mail, if its kind is enabled and it has a recipient. */
export function notice(ctx: AuthContext, { kind, user, ...given }: Notice): MessageOrder[] {
  const to = given.to ?? user.email
  if (!ctx.config.email.notifications[kind] || !to) return []
  return [
    composeMail(ctx, {
      kind,
      user,
      to,
      expiresAt: null,
      variables: given.variables ?? {},
      hookData: { email_action_type: notificationMails[kind].messageType, ...given.hookData },
    }),
  ]
}
