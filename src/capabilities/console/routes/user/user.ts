import { banForGood } from '../../../../accounts/users/read-ban.ts'
import type { User } from '../../../../accounts/users/user.ts'
import type { Answer } from '../../../../platform/http/answer.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { facts } from '../../components/data-table.ts'
import { badge, json, mono, time } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import { type ConsoleRequest, consolePath, userPath } from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'
import type { ConsoleText } from '../../texts/texts.ts'
import { auditTable } from '../audit.ts'
import { nameOf, statusOf } from '../users.ts'
import { acts, banAction, passwordAction, unbanAction } from './acts.ts'
import { changeAction, changeForm } from './change.ts'
import { eraseAction, erasure, exportAction } from './erasure.ts'
import { grants, revokeGrantAction } from './grants.ts'
import { linkAction, linkForm } from './link.ts'
import { onOther } from './on-other.ts'
import { readUser, type UserDetail } from './read-user.ts'
import { endSessionAction, sessions, signOutAction } from './sessions.ts'
import { removalActions, signInMethods } from './sign-in-methods.ts'

/** One user with everything that is stored about the account, and the acts of operators. */
export const userRoute: ConsoleRoute = {
  path: userPath(':id'),
  show: async (request) => presentUser(request, await readUser(request)),
  actions: {
    change: onOther(changeAction),
    password: onOther(passwordAction),
    ban: onOther(banAction),
    unban: onOther(unbanAction),
    'sign-out': onOther(signOutAction),
    'end-session': onOther(endSessionAction),
    ...removalActions,
    'revoke-grant': onOther(revokeGrantAction),
    link: onOther(linkAction),
    export: exportAction,
    erase: onOther(eraseAction),
  },
}

function presentUser(request: ConsoleRequest, detail: UserDetail): Answer {
  const { user } = detail
  return presentConsole(request, {
    entry: 'users',
    heading: nameOf(user),
    trail: [{ label: request.t('nav.users'), path: '/console/users' }],
    lead: statusOf(request, user),
    body: [
      account(request, user),
      sessions(request, detail),
      signInMethods(request, detail),
      grants(request, detail),
      history(request, detail),
      changeForm(request, user),
      acts(request, user),
      linkForm(request, user),
      erasure(request, user),
    ],
  })
}

/** The addresses, states and metadata of a user. */
const account = ({ t }: ConsoleRequest, user: User): Markup =>
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
    [t('user.bannedUntil')]:
      user.bannedUntil?.getTime() === banForGood.getTime()
        ? html`${t('user.bannedForGood')}`
        : time(user.bannedUntil),
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

/** The newest audit entries about a user, with links to all of them. */
function history(request: ConsoleRequest, { user: { id }, by, about }: UserDetail): Markup {
  const { t } = request
  const audit = (name: 'actor' | 'user') => consolePath(request, '/console/audit', { [name]: id })
  return html`<section><h2>${t('nav.audit')}</h2>
${auditTable(request, t('user.actsOn'), about, t('user.noActsOn'))}
${auditTable(request, t('user.actsOf'), by, t('user.noActsOf'))}
<ul class="links"><li><a href="${audit('user')}">${t('user.allActsOn')}</a></li>
<li><a href="${audit('actor')}">${t('user.allActsOf')}</a></li>
<li><a href="${consolePath(request, '/console/decisions', { user: id })}">${t('user.decisions')}</a></li></ul></section>`
}
