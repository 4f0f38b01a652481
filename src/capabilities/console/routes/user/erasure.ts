import type { User } from '../../../../accounts/users/user.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { confirmationField, dangerZone, unconfirmed } from '../../components/confirmation.ts'
import {
  actionForm,
  type ConsoleRequest,
  consolePath,
  done,
  userPath,
} from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'
import { download } from '../../download.ts'
import { nameOf } from '../users.ts'

/** The forms that export and erase a user. */
export function erasure(request: ConsoleRequest, user: User): Markup | null {
  const { t, mayChange } = request
  if (!mayChange) return null
  const path = userPath(user.id)
  const name = nameOf(user)
  return html`<section><h2>${t('user.export')}</h2><p class="detail">${t('user.exportLead')}</p>
${actionForm(request, { path, action: 'export', body: button(t('user.exportSubmit'), 'secondary') })}
${user.id === request.user.id && linkButton(t('user.toOwnAccount'), consolePath(request, '/account'), 'quiet')}</section>
${dangerZone(
  t('user.erase'),
  html`<p>${t('user.eraseLead')}</p>
${actionForm(request, {
  path,
  action: 'erase',
  label: t('user.eraseForm'),
  body: html`${confirmationField(request, 'erase', name)}${button(t('user.eraseSubmit', { name }), 'danger')}`,
})}`,
)}`
}

/** Exports the data of the user. `admin.exportUser` adds the audit entry. */
export const exportAction: ConsoleAction = async ({ admin, options, id }) =>
  download('application/json', `user-${id}.json`, await admin.exportUser(id, options))

export const eraseAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  const rejection = unconfirmed(request, form, nameOf(await admin.getUser(id, options)))
  if (rejection) return rejection
  await admin.eraseUser(id, options)
  return done(request, '/console/users', t('user.erased'))
}
