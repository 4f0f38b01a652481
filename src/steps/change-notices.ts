import type { NotificationMail } from '../config/sections/email.ts'
import type { AuthContext } from '../deps.ts'
import type { MailVariables } from '../messages/email/mail.ts'
import type { MessageOrder } from '../messages/outbox/outbox-row.ts'
import type { Account, FactorType } from '../users/account.ts'
import { composeMail } from './compose-mail.ts'

/** The mails that tell of changes to an account, as far as they are switched on. */
export function changeNotices(ctx: AuthContext, before: Account, after: Account): MessageOrder[] {
  return [
    ...emailChanged(ctx, before, after),
    ...phoneChanged(ctx, before, after),
    ...phoneLinked(ctx, before, after),
  ]
}

/** Told to the old address, whose owner may know nothing of it. */
function emailChanged(ctx: AuthContext, before: Account, after: Account): MessageOrder[] {
  if (!before.email || !after.email || before.email === after.email) return []
  const variables = { OldEmail: before.email }
  return notice(ctx, 'emailChanged', after, before.email, variables, { old_email: before.email })
}

function phoneChanged(ctx: AuthContext, before: Account, after: Account): MessageOrder[] {
  if (!before.phone || !after.phone || before.phone === after.phone) return []
  const variables = { Phone: after.phone, OldPhone: before.phone }
  return notice(ctx, 'phoneChanged', after, after.email, variables, { old_phone: before.phone })
}

function phoneLinked(ctx: AuthContext, before: Account, after: Account): MessageOrder[] {
  const hasPhone = ({ identities }: Account) => identities.some((one) => one.provider === 'phone')
  if (hasPhone(before) || !hasPhone(after)) return []
  return notice(
    ctx,
    'identityLinked',
    after,
    after.email,
    { Provider: 'phone' },
    { provider: 'phone' },
  )
}

/** The user has a new password. */
export const passwordChangedNotice = (ctx: AuthContext, account: Account): MessageOrder[] =>
  notice(ctx, 'passwordChanged', account, account.email, {}, {})

/** The user has a factor more or less. */
export const factorNotice = (
  ctx: AuthContext,
  kind: 'mfaFactorEnrolled' | 'mfaFactorUnenrolled',
  account: Account,
  factorType: FactorType,
): MessageOrder[] =>
  notice(ctx, kind, account, account.email, { FactorType: factorType }, { factor_type: factorType })

function notice(
  ctx: AuthContext,
  kind: NotificationMail,
  account: Account,
  to: string | null,
  variables: Partial<MailVariables>,
  hookData: Readonly<Record<string, string>>,
): MessageOrder[] {
  if (!ctx.config.email.notifications[kind] || !to) return []
  const action = `${kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_notification`
  return [
    composeMail(ctx, {
      kind,
      account,
      to,
      expiresAt: null,
      variables,
      hookData: { email_action_type: action, ...hookData },
    }),
  ]
}
