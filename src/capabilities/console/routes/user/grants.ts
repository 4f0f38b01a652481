import { html, type Markup } from '../../../../service/pages/html.ts'
import { shorten } from '../../../pages/oauth-application.ts'
import { dataTable } from '../../components/data-table.ts'
import { mono, time } from '../../components/values.ts'
import { type ConsoleRequest, done, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'
import type { UserDetail } from './read-user.ts'
import { removal } from './sessions.ts'

/** The access of OAuth clients that a user granted; null while the OAuth server is disabled. */
export function grants(request: ConsoleRequest, { grants: granted }: UserDetail): Markup | null {
  const { t, deps } = request
  if (!deps.config.oauthServer.enabled) return null
  return html`<section><h2>${t('user.grants')}</h2>
${dataTable({
  caption: t('user.grantsCaption'),
  columns: [t('column.client'), t('column.scopes'), t('column.granted'), t('column.action')],
  rows: granted.map(({ client, scopes, grantedAt }) => [
    html`${client.clientName && shorten(client.clientName)} ${mono(client.clientId)}`,
    scopes.join(' '),
    time(grantedAt),
    removal(request, {
      action: 'revoke-grant',
      name: 'client_id',
      id: client.clientId,
      label: t('user.revokeGrant'),
    }),
  ]),
  empty: t('user.noGrant'),
})}</section>`
}

export const revokeGrantAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  await admin.oauth.revokeGrant(id, form.get('client_id') ?? '', options)
  return done(request, userPath(id), t('user.grantRevoked'))
}
