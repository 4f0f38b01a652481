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
  const variables = { OldEmail: before.email }
  return notice(ctx, 'emailChanged', after, before.email, variables, { old_email: before.email })
}

function phoneChanged(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  if (!before.phone || !after.phone || before.phone === after.phone) return []
  const variables = { Phone: after.phone, OldPhone: before.phone }
  return notice(ctx, 'phoneChanged', after, after.email, variables, { old_phone: before.phone })
}

function phoneLinked(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  const hasPhone = ({ identities }: User) => identities.some((one) => one.provider === 'phone')
  if (hasPhone(before) || !hasPhone(after)) return []
  return identityNotice(ctx, 'identityLinked', after, 'phone')
}

/**
 * Returns the mail that reports an added or removed identity. It goes to the email address of
 * `user`.
 */
export const identityNotice = (
  ctx: AuthContext,
  kind: 'identityLinked' | 'identityUnlinked',
  user: User,
  provider: string,
): MessageOrder[] => notice(ctx, kind, user, user.email, { Provider: provider }, { provider })

/** Returns the mail that reports a new password. */
export const passwordChangedNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, 'passwordChanged', user, user.email, {}, {})

/** Returns the mail that reports an added or removed factor. */
export const factorNotice = (
  ctx: AuthContext,
  kind: 'mfaFactorEnrolled' | 'mfaFactorUnenrolled',
  user: User,
  factorType: FactorType,
): MessageOrder[] =>
  notice(ctx, kind, user, user.email, { FactorType: factorType }, { factor_type: factorType })

/** Returns the mail that reports the use of a recovery code. */
export const recoveryCodeNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, 'mfaRecoveryCodeUsed', user, user.email, {}, {})

/** Returns a notification mail to an address, if its kind is enabled. */
export function notice(
  ctx: AuthContext,
  kind: NotificationMail,
  user: User,
  to: string | null,
  variables: Partial<MailVariables>,
  hookData: Readonly<Record<string, string>>,
): MessageOrder[] {
  if (!ctx.config.email.notifications[kind] || !to) return []
  return [
    composeMail(ctx, {
      kind,
      user,
      to,
      expiresAt: null,
      variables,
      hookData: { email_action_type: notificationMails[kind].messageType, ...hookData },
    }),
  ]
}
