import { html, type Markup } from '../../../../service/pages/html.ts'
import { listClientsAfter } from '../../../oauth-server/clients/manage-clients.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { shorten } from '../../../pages/oauth-application.ts'
import { dataTable } from '../../components/data-table.ts'
import { pager } from '../../components/pager.ts'
import { badge, link, mono, time } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import { type ConsoleRequest, clientPath, clientsPath, consolePath } from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'

const perPage = 50

/** The OAuth clients, the newest first. */
export const clientsRoute: ConsoleRoute = {
  path: clientsPath,
  show: async (request) => {
    const { t, deps, settings, mayChange } = request
    const { enabled } = deps.config.oauthServer
    return presentConsole(request, {
      entry: 'clients',
      heading: t('nav.clients'),
      lead: enabled
        ? t('clients.lead')
        : t('clients.disabled', { setting: settings.nameOf('oauthServer.enabled') }),
      tools:
        enabled &&
        mayChange &&
        linkButton(t('clients.new'), consolePath(request, `${clientsPath}/new`), 'secondary'),
      body: enabled ? await list(request) : [],
    })
  },
}

async function list(request: ConsoleRequest): Promise<Markup> {
  const { t, page, query } = request
  const { clients, nextCursor } = await listClientsAfter(page.ctx, {
    cursor: query.get('cursor') ?? undefined,
    limit: perPage,
  })
  return html`<section>${dataTable({
    caption: t('clients.caption'),
    columns: [
      t('column.name'),
      t('column.kind'),
      t('clients.registration'),
      t('clients.redirectUris'),
      t('column.created'),
      t('field.id'),
    ],
    rows: clients.map((client) => [
      link(
        consolePath(request, clientPath(client.clientId)),
        client.clientName === null ? t('clients.nameless') : shorten(client.clientName),
      ),
      badge(t(`clientType.${client.clientType}`)),
      t(`registration.${client.registrationType}`),
      client.redirectUris.join(' '),
      time(client.createdAt),
      mono(client.clientId),
    ]),
    empty: t('clients.none'),
  })}
${pager(request, clientsPath, nextCursor === null ? null : { name: 'cursor', value: nextCursor })}</section>`
}
