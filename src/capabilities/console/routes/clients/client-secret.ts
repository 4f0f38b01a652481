import type { Answer } from '../../../../platform/http/answer.ts'
import { html } from '../../../../service/pages/html.ts'
import type { OauthClientWithSecret } from '../../../oauth-server/clients/oauth-client.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { shorten } from '../../../pages/oauth-application.ts'
import { facts } from '../../components/data-table.ts'
import { mono } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import { type ConsoleRequest, clientPath, clientsPath, consolePath } from '../../console-request.ts'

/** Presents a client with its new secret. Only its hash is stored, so it is shown once. */
export function presentSecret(request: ConsoleRequest, client: OauthClientWithSecret): Answer {
  const { t } = request
  const { clientId, clientName, clientSecret } = client
  return presentConsole(request, {
    entry: 'clients',
    heading: clientName === null ? clientId : shorten(clientName),
    lead: clientSecret === null ? t('clients.withoutSecret') : t('clients.secretLead'),
    trail: [{ label: t('nav.clients'), path: clientsPath }],
    body: html`<section>${facts({
      [t('clients.clientId')]: mono(clientId),
      ...(clientSecret !== null && { [t('field.clientSecret')]: mono(clientSecret) }),
    })}${linkButton(t('clients.toClient'), consolePath(request, clientPath(clientId)), 'secondary')}</section>`,
  })
}
