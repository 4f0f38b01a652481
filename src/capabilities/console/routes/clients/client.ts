import { html, type Markup } from '../../../../service/pages/html.ts'
import type { OauthClient } from '../../../oauth-server/clients/oauth-client.ts'
import { button } from '../../../pages/components/button.ts'
import { shorten } from '../../../pages/oauth-application.ts'
import { confirmationField, dangerZone, unconfirmed } from '../../components/confirmation.ts'
import { facts } from '../../components/data-table.ts'
import { badge, mono, time } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import {
  actionForm,
  type ConsoleRequest,
  clientPath,
  clientsPath,
  done,
} from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'
import { clientChanges, clientFields } from './client-form.ts'
import { presentSecret } from './client-secret.ts'

/** One OAuth client, with the forms that change it, replace its secret and delete it. */
export const clientRoute: ConsoleRoute = {
  path: clientPath(':id'),
  show: async (request) => {
    const { t, admin, options, id } = request
    const client = await admin.oauth.getClient(id, options)
    return presentConsole(request, {
      entry: 'clients',
      heading: client.clientName === null ? t('clients.nameless') : shorten(client.clientName),
      lead: html`${badge(t(`clientType.${client.clientType}`))} ${badge(t(`registration.${client.registrationType}`))}`,
      trail: [{ label: t('nav.clients'), path: clientsPath }],
      body: [settings(request, client), ...forms(request, client)],
    })
  },
  actions: {
    change: async (request, form) => {
      const { t, admin, options, id } = request
      const changes = clientChanges(request, form)
      if ('rejected' in changes) return changes
      if (Object.keys(changes).length === 0) return done(request, clientPath(id), t('form.nothing'))
      await admin.oauth.updateClient(id, changes, options)
      return done(request, clientPath(id), t('form.saved'))
    },
    'new-secret': async (request) => {
      const { admin, options, id } = request
      return presentSecret(request, await admin.oauth.regenerateClientSecret(id, options))
    },
    delete: async (request, form) => {
      const { t, admin, options, id } = request
      const { clientId } = await admin.oauth.getClient(id, options)
      const rejection = unconfirmed(request, form, clientId)
      if (rejection) return rejection
      await admin.oauth.deleteClient(clientId, options)
      return done(request, clientsPath, t('clients.deleted'))
    },
  },
}

const settings = ({ t }: ConsoleRequest, client: OauthClient): Markup =>
  html`<section>${facts({
    [t('clients.clientId')]: mono(client.clientId),
    [t('clients.authMethod')]: t(`authMethod.${client.tokenEndpointAuthMethod}`),
    [t('clients.redirectUris')]: client.redirectUris.join(' '),
    [t('clients.grantTypes')]: client.grantTypes.join(' '),
    [t('column.scopes')]: client.allowedScopes?.join(' ') ?? t('clients.allScopes'),
    [t('column.created')]: time(client.createdAt),
    [t('column.changed')]: time(client.updatedAt),
  })}</section>`

function forms(request: ConsoleRequest, client: OauthClient): Markup[] {
  const { t, mayChange } = request
  if (!mayChange) return []
  const { clientId, clientName, tokenEndpointAuthMethod } = client
  const path = clientPath(clientId)
  const name = clientName === null ? clientId : shorten(clientName)
  const hasSecret = tokenEndpointAuthMethod.startsWith('client_secret')
  const change = html`<section><h2>${t('clients.change')}</h2>${actionForm(request, {
    path,
    action: 'change',
    label: t('clients.change'),
    className: 'stack',
    body: html`${clientFields(request, 'change', client)}${button(t('form.save'), 'primary')}`,
  })}</section>`
  const secret = html`<section><h2>${t('field.clientSecret')}</h2><p class="detail">${t('clients.newSecretLead')}</p>
${actionForm(request, { path, action: 'new-secret', body: button(t('clients.newSecret'), 'danger') })}</section>`
  const deletion = dangerZone(
    t('clients.delete'),
    html`<p>${t('clients.deleteLead')}</p>${actionForm(request, {
      path,
      action: 'delete',
      label: t('clients.delete'),
      body: html`${confirmationField(request, 'delete', clientId)}${button(t('clients.deleteSubmit', { name }), 'danger')}`,
    })}`,
  )
  return [change, ...(hasSecret ? [secret] : []), deletion]
}
