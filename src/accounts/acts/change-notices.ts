import { composeMail } from '../../delivery/messages/compose-mail.ts'
import type { MessageOrder } from '../../delivery/outbox/outbox-row.ts'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import type { MailVariables } from '../../platform/mails/mail-definition.ts'
import { type NotificationMail, notificationMails } from '../../platform/mails/mails.ts'
import type { AuthContext } from '../auth-context.ts'
import type { User } from '../users/user.ts'

/** The mails that tell of changes to an account, as far as they are switched on. */
export function changeNotices(ctx: AuthContext, before: User, after: User): MessageOrder[] {
  return [
    ...emailChanged(ctx, before, after),
    ...phoneChanged(ctx, before, after),
    ...phoneLinked(ctx, before, after),
  ]
}

/** Told to the old address, whose owner may know nothing of it. */
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

/** The user has an identity more or less. The address is that of the account as it is given. */
export const identityNotice = (
  ctx: AuthContext,
  kind: 'identityLinked' | 'identityUnlinked',
  user: User,
  provider: string,
): MessageOrder[] => notice(ctx, kind, user, user.email, { Provider: provider }, { provider })

/** The user has a new password. */
export const passwordChangedNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, 'passwordChanged', user, user.email, {}, {})

/** The user has a factor more or less. */
export const factorNotice = (
  ctx: AuthContext,
  kind: 'mfaFactorEnrolled' | 'mfaFactorUnenrolled',
  user: User,
  factorType: FactorType,
): MessageOrder[] =>
  notice(ctx, kind, user, user.email, { FactorType: factorType }, { factor_type: factorType })

/** Somebody came in by a recovery code of the user. */
export const recoveryCodeNotice = (ctx: AuthContext, user: User): MessageOrder[] =>
  notice(ctx, 'mfaRecoveryCodeUsed', user, user.email, {}, {})

/** A notification mail to an address, if its kind is switched on. */
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
