import { html, type Markup } from '../../../../service/pages/html.ts'
import { button } from '../../../pages/components/button.ts'
import { hidden } from '../../../pages/components/field.ts'
import { dataTable } from '../../components/data-table.ts'
import { time } from '../../components/values.ts'
import { actionForm, type ConsoleRequest, done, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'
import { nameOf } from '../users.ts'
import type { UserDetail } from './read-user.ts'

/** The live sessions of a user. */
export function sessions(request: ConsoleRequest, { user, sessions: live }: UserDetail): Markup {
  const { t } = request
  return html`<section><h2>${t('user.sessions')}</h2>
${dataTable({
  caption: t('user.sessionsCaption'),
  columns: [
    t('column.device'),
    t('column.level'),
    t('column.address'),
    t('column.opened'),
    t('column.lastUsed'),
    t('column.action'),
  ],
  rows: live.map(({ id, device, aal, ip, createdAt, lastUsedAt }) => [
    device ?? t('user.unknownDevice'),
    aal,
    ip,
    time(createdAt),
    time(lastUsedAt),
    removal(request, {
      action: 'end-session',
      name: 'session_id',
      id,
      label: t('user.endSession'),
    }),
  ]),
  empty: t('user.noSession'),
})}
${
  live.length > 0 &&
  actionForm(request, {
    path: userPath(user.id),
    action: 'sign-out',
    body: button(t('user.endSessions', { name: nameOf(user) }), 'danger'),
  })
}</section>`
}

/** The form that removes a part of the account. */
export const removal = (
  request: ConsoleRequest,
  { action, name, id, label }: { action: string; name: string; id: string; label: string },
): Markup | null =>
  actionForm(request, {
    path: userPath(request.id),
    action,
    body: html`${hidden(name, id)}${button(label, 'danger')}`,
  })

export const signOutAction: ConsoleAction = async (request) => {
  const { admin, options, id, t } = request
  await admin.signOut(id, options)
  return done(request, userPath(id), t('user.sessionsEnded'))
}

export const endSessionAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  await admin.revokeSession(id, form.get('session_id') ?? '', options)
  return done(request, userPath(id), t('user.sessionEnded'))
}
