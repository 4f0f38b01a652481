import type { User } from '../../../../accounts/users/user.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { facts } from '../../components/data-table.ts'
import { badge, json, mono, time } from '../../components/values.ts'
import type { ConsoleRequest } from '../../console-request.ts'
import type { ConsoleText } from '../../texts/texts.ts'

/** The addresses, states and metadata of a user. */
export const account = ({ t }: ConsoleRequest, user: User): Markup =>
  html`<section><h2>${t('user.account')}</h2>
${facts({
  [t('field.id')]: mono(user.id),
  [t('field.email')]: user.email && html`${user.email} ${confirmed(t, user.emailConfirmedAt)}`,
  [t('field.phone')]: user.phone && html`+${user.phone} ${confirmed(t, user.phoneConfirmedAt)}`,
  [t('field.username')]: user.username,
  [t('field.role')]: user.role,
  [t('field.audience')]: user.audience,
  [t('column.created')]: time(user.createdAt),
  [t('column.changed')]: time(user.updatedAt),
  [t('column.lastSignIn')]: time(user.lastSignInAt),
  ...present({
    [t('user.invited')]: time(user.invitedAt),
    [t('user.bannedUntil')]: time(user.bannedUntil),
    [t('user.deletedAt')]: time(user.deletedAt),
    [t('user.pendingEmail')]: user.newEmail,
    [t('user.pendingPhone')]: user.newPhone && `+${user.newPhone}`,
  }),
})}</section>
<section><h2>${t('user.metadata')}</h2>
<h3>${t('user.userMetadata')}</h3>${json(user.userMetadata)}
<h3>${t('user.appMetadata')}</h3>${json(user.appMetadata)}</section>`

/** Returns the facts that have a value. */
const present = <Value>(given: Readonly<Record<string, Value | null>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, NonNullable<Value>] => !!entry[1]),
  )

const confirmed = (t: ConsoleText, at: Date | null): Markup =>
  at === null
    ? badge(t('state.unconfirmed'))
    : html`${badge(t('state.confirmed'), 'good')} ${time(at)}`
