import { html } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { hidden } from '../../pages/components/field.ts'
import { confirmationField, requireConfirmation } from '../components/confirmation.ts'
import { dataTable } from '../components/data-table.ts'
import { pager } from '../components/pager.ts'
import { badge, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, done } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/clients'
const perPage = 50

/** The OAuth clients, the newest first. */
export const clientsRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { admin, options, deps, settings } = request
    if (!deps.config.oauthServer.enabled) {
      return presentConsole(request, {
        entry: 'clients',
        heading: 'OAuth clients',
        lead: `The OAuth server is disabled: see ${settings.nameOf('oauthServer.enabled')}.`,
        body: [],
      })
    }
    const page = Number(request.query.get('page') ?? 1)
    const { clients, total } = await admin.oauth.listClients({ page, perPage }, options)
    const next = page * perPage < total ? { name: 'page', value: String(page + 1) } : null
    return presentConsole(request, {
      entry: 'clients',
      heading: 'OAuth clients',
      body: html`<section>${dataTable({
        caption: 'Clients, the newest first',
        columns: ['Name', 'Id', 'Kind', 'Registered', 'Redirect URIs', 'Created', 'Action'],
        rows: clients.map((client) => [
          client.clientName,
          mono(client.clientId),
          badge(client.clientType),
          client.registrationType,
          client.redirectUris.join(' '),
          time(client.createdAt),
          actionForm(request, {
            path,
            action: 'delete',
            body: html`${hidden('client_id', client.clientId)}${confirmationField(`delete-${client.clientId}`, client.clientId)}${button(`Delete ${client.clientName ?? 'client'}`, 'danger')}`,
          }),
        ]),
        empty: 'No client.',
      })}
${pager(request, path, next, 'page')}</section>`,
    })
  },
  actions: {
    delete: async (request, form) => {
      const clientId = form.get('client_id') ?? ''
      requireConfirmation(form, clientId)
      await request.admin.oauth.deleteClient(clientId, request.options)
      return done(
        request,
        path,
        'The client was deleted. Its sessions and the consents of users ended.',
      )
    },
  },
}
